import type { JsonSchema } from "@toolrig/core";
import * as calls from "./calls.ts";
import * as rest from "./rest.ts";

/** The schemas that answers refer to by name. */
export const COMPONENTS: Readonly<Record<string, JsonSchema>> = {
  Problem: rest.problem,
  ServerInfo: rest.serverInfo,
  Safety: rest.safety,
  ToolStats: rest.toolStats,
  ToolLine: rest.toolLine,
  ToolDetail: rest.toolDetail,
  CallLine: calls.callLine,
  RunLine: calls.runLine,
  FeedMessage: calls.feedMessage,
  CallRequest: calls.callRequest,
  CallStatus: calls.callStatus,
  CallStory: calls.callStory,
  ToolResult: calls.toolResult,
  Failure: calls.failure,
  InboxItem: calls.inboxItem,
  RunRequest: calls.runRequest,
  RunDetail: calls.runDetail,
  FailureGroup: rest.failureGroup,
  StoredRecord: rest.storedRecord,
  AuditVerdict: rest.auditVerdict,
  FleetState: rest.fleetState,
  RetriedLetter: rest.retriedLetter,
  PolicyQuestion: rest.policyQuestion,
  PolicyAnswer: rest.policyAnswer,
  DemoStarted: rest.demoStarted,
};
