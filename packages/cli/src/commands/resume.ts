import { ToolrigError } from "@toolrig/core";
import { STORE_OPTIONS } from "../config/open-store-file.ts";
import { command } from "../shell/command.ts";
import { EXIT_CODE } from "../shell/exit-code.ts";
import { neededId } from "./find-id.ts";
import { RUN_DETAILS, RUN_OPTIONS, runTask } from "./run/run-task.ts";

export const resume = command({
  name: "resume",
  positionals: ["RUN|@last"],
  options: { ...RUN_OPTIONS, store: STORE_OPTIONS.store },
  details: `${RUN_DETAILS} ${EXIT_CODE.not_found} when there is no such run.\n\nA script:FILE goes on with the reply after those that the run has had.`,
  examples: ["toolrig runs --open", "toolrig resume run_01 --model openai:gpt-5"],

  run: ({ values, positionals: [typed] }) =>
    runTask(values, (rig, options) => {
      if (rig.store === undefined) {
        throw new ToolrigError(
          "OPTION_INVALID",
          'Runs are kept in a store: give --store FILE, or set store: "toolrig.db" in the config.',
        );
      }
      return rig.resume(neededId(rig.store, typed, "run"), options);
    }),
});
