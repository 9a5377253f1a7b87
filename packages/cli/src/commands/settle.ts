import { check } from "@toolrig/core/kit";
import type { Store } from "@toolrig/store";
import { OF_FLEET_OPTION } from "../config/fleet-at.ts";
import { STORE_OPTIONS, withStore } from "../config/open-store-file.ts";
import { needed } from "../shell/choose-action.ts";
import { command } from "../shell/command.ts";
import { userName } from "../shell/user-name.ts";
import { note, printJson } from "../terminal/output.ts";
import { redactedFact } from "../terminal/redaction.ts";
import { neededId } from "./find-id.ts";
import { settleInFleet } from "./fleet-outcomes.ts";

export const settle = command({
  name: "settle",
  positionals: ["EXECUTION", "happened|never-ran"],
  options: {
    ...STORE_OPTIONS,
    ...OF_FLEET_OPTION,
    why: { type: "string", value: "TEXT", describe: "what you saw; it is on record" },
    as: { type: "string", value: "NAME", describe: "who says so (default: the user of this machine)" },
  },
  details: [
    "What happened is answered as done when its call is continued, and is not run again. What never ran may run under its",
    'execution id. Your word, your name and why are recorded. "toolrig open" lists what is in doubt.',
    "With --nats, the outcome of a call of a fleet is replaced in its ledger; what never ran is called again under another execution id.",
  ].join("\n"),
  examples: ['toolrig settle exec_01 never-ran --why "the bank knows nothing of it"'],

  async run({ values, positionals: [typed, outcome] }) {
    if (outcome !== "happened" && outcome !== "never-ran")
      throw check.invalid("settle", "happened or never-ran", outcome);
    const why = needed(
      values.why?.trim() || undefined,
      "settle",
      '--why with what you saw, such as "it is on the statement"',
    );
    const by = userName(values.as);
    const told = (executionId: string) => {
      if (values.json === true) printJson(redactedFact({ executionId, outcome, by, why }));
      else note(`${executionId} ${outcome === "happened" ? "happened" : "never ran"}, says ${by}.`);
      return 0;
    };
    const { nats } = values;
    if (nats !== undefined) {
      const executionId = needed(typed, "settle", "EXECUTION");
      await settleInFleet(nats, values, executionId, { outcome, by: { id: by }, why });
      return told(executionId);
    }
    const settle = async (store: Store) => {
      const executionId = neededId(store, typed, "execution");
      await store.ledger.settle(executionId, { outcome, by: { id: by }, why });
      return told(executionId);
    };
    return withStore(values, settle, { writes: true });
  },
});
