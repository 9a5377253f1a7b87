import { defined } from "@toolrig/core/kit";
import { command } from "../shell/command.ts";
import { NotFound } from "../shell/not-found.ts";
import { userName } from "../shell/user-name.ts";
import { note, printJson } from "../terminal/output.ts";
import { waitingId } from "./find-id.ts";
import { ENDING_OPTIONS, withWaits } from "./waiting-rig.ts";

export const cancel = command({
  name: "cancel",
  positionals: ["EXECUTION"],
  options: {
    ...ENDING_OPTIONS,
    reason: { type: "string", value: "TEXT", describe: "why; the model is told" },
  },
  details:
    "A tool that deferred its result is told, where it is configured. What it began may have happened all the same. An approval that is cancelled counts as not given.",
  examples: ['toolrig cancel exec_01 --reason "no longer needed"'],

  run: ({ values, positionals: [typed] }) =>
    withWaits(values, async ({ waits, store }) => {
      const executionId = waitingId(store, typed, [
        "approval",
        "question",
        "deferred",
        "external",
        "background",
      ]);
      const { reason } = values;
      const by = { id: userName(values.as) };
      if (!(await waits.cancel(executionId, { by, ...defined({ reason }) })))
        throw new NotFound(`Execution ${executionId} waits for nothing. "toolrig waiting" lists what does.`);
      if (values.json === true) printJson({ executionId, status: "cancelled" });
      else note(`${executionId} is cancelled.`);
      return 0;
    }),
});
