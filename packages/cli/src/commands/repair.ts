import { coerce, type Failure, type JsonSchema, type Repair, validation } from "@toolrig/core";
import { check } from "@toolrig/core/kit";
import { type Decoded, decode } from "@toolrig/json";
import { command } from "../shell/command.ts";
import { EXIT_CODE, exitCodeOf } from "../shell/exit-code.ts";
import { readJsonFile, readText } from "../terminal/input.ts";
import { note, printJson, printStyled, showsProgress } from "../terminal/output.ts";
import { repairView } from "../terminal/repair-view.ts";

export const repair = command({
  name: "repair",
  positionals: ["[FILE|-]"],
  options: {
    schema: {
      type: "string",
      value: "FILE",
      describe: "JSON Schema of the value: decides ties, and the value must match it",
    },
  },
  details: [
    "The value goes to stdout; what was changed goes to stderr where that is a terminal, or with --verbose. With --json,",
    "the value with its mode (strict, repaired or partial), its degree (exact, guess or lossy) and the list of changes.",
    "",
    `Exit codes: 0 for a value, ${EXIT_CODE.validation} when the text cannot be read or does not match the schema.`,
  ].join("\n"),
  examples: [
    `echo "{city: 'Paris', days: 3,}" | toolrig repair`,
    "toolrig repair --schema schema.json broken.json",
  ],

  async run({ values, positionals: [file] }) {
    const schema = values.schema === undefined ? undefined : await readSchema(values.schema);
    const text = await readText(file);
    const decoded = printable(
      schema === undefined ? decode(text) : matched(decode(text, { schema }), schema),
    );
    if (values.json === true) printJson(decoded);
    else if (decoded.ok) printJson(decoded.value);
    if (!decoded.ok) {
      note(`toolrig: ${decoded.failure.message}`, "bad");
      return exitCodeOf(decoded);
    }
    if (showsProgress(values.verbose)) printStyled(repairView(text, decoded), "stderr");
    return 0;
  },
});

/** A value, or why there is none: the text could not be read, or the value does not match the schema. */
type Checked = Extract<Decoded, { ok: true }> | { ok: false; failure: Failure };

/** The decoded value as the schema wants it, or a failure that lists what is wrong. */
function matched(decoded: Decoded, schema: JsonSchema): Checked {
  if (!decoded.ok) return decoded;
  const { ok, value, repairs, issues } = coerce(decoded.value, schema, { trusted: false });
  if (ok)
    return {
      ...decoded,
      value,
      mode: modeOf(decoded.mode, repairs),
      repairs: [...decoded.repairs, ...repairs],
    };
  const wrong = issues.map((issue) => `\n  ${issue.message}`).join("");
  const message = `The JSON could be read but does not match the schema:${wrong}`;
  return { ok: false, failure: validation(message, { arguments: issues }).failure };
}

/** A value that is nested too deeply to be written is a failure, never printed in part. */
function printable(decoded: Checked): Checked {
  try {
    JSON.stringify(decoded);
    return decoded;
  } catch {
    return {
      ok: false,
      failure: validation("The JSON is nested too deeply to be printed; flatten it.").failure,
    };
  }
}

function modeOf(mode: "strict" | "repaired" | "partial", coercions: readonly Repair[]) {
  return mode === "strict" && coercions.length > 0 ? "repaired" : mode;
}

async function readSchema(file: string): Promise<JsonSchema> {
  const schema = await readJsonFile(file, "--schema");
  if (typeof schema === "object" && schema !== null && !Array.isArray(schema)) return schema as JsonSchema;
  throw check.invalid("--schema", "a JSON Schema, which is an object", schema);
}
