import type { Envelope, EnvelopeCall, ScanContext } from "./family.ts";
import { has, type Reading, skipSpace, startsWith, startsWithAny } from "./input.ts";
import { type PythonCall, readPythonCall } from "./read-python.ts";
import { type ExtractTool, parameterNames } from "./tool-index.ts";

/** A call with its arguments as JSON text; positional ones take the parameters' names in the schema's order. */
export function pythonArguments(call: PythonCall, tool: ExtractTool): string | undefined {
  const names = parameterNames(tool);
  const entries = new Map<string, string>();
  for (const [index, json] of call.positional.entries()) {
    const name = names[index];
    if (name === undefined) return undefined;
    entries.set(name, json);
  }
  for (const [name, json] of call.keywords) entries.set(name, json);
  return `{${[...entries].map(([name, json]) => `${JSON.stringify(name)}: ${json}`).join(", ")}}`;
}

export interface PythonListRules {
  /** What ends the list when it is not the text's end. */
  readonly close: readonly string[];
}

/**
 * Reads calls separated by commas, line feeds or nothing, each of them possibly inside `print(...)`, up to one of the
 * closing literals. Undefined if anything else is found before that.
 */
export function* readPythonCalls(
  scan: ScanContext,
  start: number,
  rules: PythonListRules,
): Reading<(Envelope & { closed: string | undefined }) | undefined> {
  const { input, tools } = scan;
  const calls: EnvelopeCall[] = [];
  let any = false;
  let at = start;
  for (;;) {
    at = yield* skipSpace(input, at);
    if (!(yield* has(input, at))) return any ? { calls, end: at, closed: undefined } : undefined;
    const close = yield* startsWithAny(input, at, rules.close);
    if (close !== undefined) return any ? { calls, end: at + close.length, closed: close } : undefined;
    if (/[,;]/.test(input.text.charAt(at))) {
      at++;
      continue;
    }
    const printed = yield* startsWith(input, at, "print(");
    const call = yield* readPythonCall(input, printed ? at + "print(".length : at);
    if (call === undefined) return undefined;
    any = true;
    const tool = tools.resolve(call.name);
    const written = tool === undefined ? undefined : pythonArguments(call, tool);
    if (tool !== undefined && written !== undefined) {
      calls.push({ name: tool.name, arguments: written, complete: call.complete });
    }
    at = call.end;
    if (printed && (yield* startsWith(input, yield* skipSpace(input, at), ")"))) {
      at = (yield* skipSpace(input, at)) + 1;
    }
  }
}
