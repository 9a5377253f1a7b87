import { ToolrigError } from "@toolrig/core";
import { defined } from "@toolrig/core/kit";
import { command } from "../shell/command.ts";
import { userName } from "../shell/user-name.ts";
import { note, printJson } from "../terminal/output.ts";
import { waitingId } from "./find-id.ts";
import { ENDING_OPTIONS, givenJson, withWaits } from "./waiting-rig.ts";

export const answer = command({
  name: "answer",
  positionals: ["EXECUTION|WAIT", "[JSON|-]"],
  options: {
    ...ENDING_OPTIONS,
    decline: { type: "boolean", describe: "you will not answer" },
    reason: { type: "string", value: "TEXT", describe: "with --decline: why, for the tool" },
  },
  details: [
    'JSON is the answer, as "toolrig waiting show" says what it may be; text is JSON, too: \'"Monday"\'. What does not fit is',
    "refused and the question stays open. It is answered once.",
  ].join("\n"),
  examples: [`toolrig answer exec_01 '{"day": "monday"}'`, "toolrig answer exec_01 --decline"],

  async run({ values, positionals: [typed, text] }) {
    const { decline = false, reason } = values;
    if ((text === undefined) !== decline)
      throw new ToolrigError("OPTION_INVALID", "answer takes JSON, the answer, or --decline.");
    const value = await givenJson(text, "JSON");
    return withWaits(values, async ({ waits, store }) => {
      const id = store.waits.get(typed)?.id ?? waitingId(store, typed, ["question"]);
      const by = { id: userName(values.as) };
      await waits.answer(id, decline ? { by, declined: true, ...defined({ reason }) } : { by, value });
      if (values.json === true) printJson({ id, status: decline ? "declined" : "answered" });
      else note(`The question of ${id} is ${decline ? "declined" : "answered"}.`);
      return 0;
    });
  },
});
