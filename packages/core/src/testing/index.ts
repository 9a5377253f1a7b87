export type { ContractCase, MakeSubject, Subject } from "./contract.ts";
export { approvalStoreContract } from "./contracts/approvals.ts";
export { artifactStoreContract } from "./contracts/artifacts.ts";
export { catalogContract } from "./contracts/catalog.ts";
export { descriptionStoreContract } from "./contracts/descriptions.ts";
export { eventLogContract, type ReadableEventLog } from "./contracts/event-log.ts";
export { executorContract } from "./contracts/executor.ts";
export { journalContract } from "./contracts/journal.ts";
export { ledgerContract } from "./contracts/ledger.ts";
export { callStoreContract, type ReadableCallStore, sampleRecord } from "./contracts/records.ts";
export { type WaitingStores, waitingCallsContract } from "./contracts/waiting-calls.ts";
export { waitStoreContract } from "./contracts/waits.ts";
export {
  type CrashCase,
  type CrashOptions,
  type CrashScenario,
  type CrashSite,
  type CrashStart,
  crashEverywhere,
  crashSite,
} from "./crash.ts";
export {
  type CrashPoint,
  crashAtEvents,
  crashableJournal,
  crashableLedger,
  crashableStore,
  crashableWaits,
  type StorePoint,
  slowly,
} from "./crash-points.ts";
export { FakeClock } from "./fake-clock.ts";
export { type ScriptedTool, type ScriptedToolSpec, type ScriptStep, scriptedTool } from "./scripted-tool.ts";
export { wrongValues } from "./wrong-values.ts";
