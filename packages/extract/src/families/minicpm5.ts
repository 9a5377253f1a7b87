/**
 * `<function name="N">` (`<param name="K">` V `</param>`)* `</function>`. V may be a CDATA section. Other XML looks the
 * same, so the call has to fit the tool: it is closed, parameters that the tool does not declare are no arguments, and
 * none that it requires is missing.
 */
import type { Envelope, EnvelopeCall, ExtractFamily, ScanContext } from "../family.ts";
import type { Reading } from "../input.ts";
import { bareInvoke } from "../invoke-section.ts";
import { jsonMembers } from "../read-json.ts";
import { parameterNames, requiredNames, type ToolIndex } from "../tool-index.ts";

const readCall = bareInvoke({ prefix: "", invoke: "function", parameter: "param", untyped: "json" });

function* read(scan: ScanContext, start: number, begin: number): Reading<Envelope | undefined> {
  const envelope = yield* readCall(scan, start, begin);
  return envelope && { ...envelope, calls: envelope.calls.flatMap((call) => fitted(call, scan.tools)) };
}

/**
 * The call with the arguments that its tool declares, or none if it does not fit. Values stay as they were written: a
 * model that puts all arguments into one parameter writes what it takes for JSON.
 */
function fitted(call: EnvelopeCall, tools: ToolIndex): EnvelopeCall[] {
  const tool = tools.get(call.name);
  if (tool === undefined || !call.complete) return [];
  if (tool.inputSchema === undefined) return [call];
  const declared = new Set(parameterNames(tool));
  const given = new Map<string, string>();
  const { arguments: text } = call;
  for (const { key, start, end } of jsonMembers(text, { start: 0, end: text.length, complete: true })) {
    if (declared.has(key)) given.set(key, text.slice(start, end));
  }
  if (requiredNames(tool).some((name) => !given.has(name))) return [];
  const members = [...given].map(([key, value]) => `${JSON.stringify(key)}:${value}`);
  return [{ ...call, arguments: `{${members.join(",")}}` }];
}

export const minicpm5: ExtractFamily = {
  name: "minicpm5",
  title: "MiniCPM 5",
  example: '<function name="search"><param name="query">x</param></function>',
  openings: ["<function name=", "<functionĠname="].map((literal) => ({ literal, at: "anywhere", read })),
};
