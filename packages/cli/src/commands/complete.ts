import { failure, ToolrigError } from "@toolrig/core";
import { command } from "../shell/command.ts";
import { userName } from "../shell/user-name.ts";
import { note, printJson } from "../terminal/output.ts";
import { redactedFact } from "../terminal/redaction.ts";
import { waitingId } from "./find-id.ts";
import { ENDING_OPTIONS, endText, givenJson, withWaits } from "./waiting-rig.ts";

export const complete = command({
  name: "complete",
  positionals: ["EXECUTION", "[JSON|-]"],
  options: {
    ...ENDING_OPTIONS,
    token: { type: "string", value: "TOKEN", describe: "the call's own token, in the place of your name" },
    failed: { type: "string", value: "TEXT", describe: "it failed, for this reason" },
  },
  details: [
    "JSON is what the tool would have returned; with - it is read from standard input. It is checked against the tool's output",
    "schema: what does not fit is refused and the call still waits. It counts once: late and repeated ones are refused.",
    '"toolrig waiting" lists what waits.',
  ].join("\n"),
  examples: [
    `toolrig complete exec_01 '{"url": "https://example.com"}'`,
    'toolrig complete exec_01 --failed "the build broke"',
  ],

  async run({ values, positionals: [typed, text] }) {
    if ((text === undefined) === (values.failed === undefined))
      throw new ToolrigError(
        "OPTION_INVALID",
        "complete takes JSON, the result, or --failed with the reason.",
      );
    const given = values.failed === undefined ? await givenJson(text, "JSON") : failure(values.failed);
    return withWaits(values, async ({ waits, store }) => {
      const executionId = waitingId(store, typed, ["deferred", "external"]);
      const by = values.token ?? { by: { id: userName(values.as) } };
      const result = await waits.complete(executionId, by, given);
      if (values.json === true) printJson(redactedFact(result ?? { executionId }));
      else note(endText(executionId, result));
      return 0;
    });
  },
});
