import type { EnvelopeCall } from "./family.ts";
import { isLogRecord } from "./log-record.ts";
import { type JsonMember, type JsonSpan, jsonMembers, literalText } from "./read-json.ts";
import {
  type ExtractTool,
  parameterNames,
  parameterSchema,
  requiredNames,
  type ToolIndex,
  typesOf,
} from "./tool-index.ts";

/** The shapes in which a call object names its tool and its arguments, in order of preference. */
const NAME_KEYS = [
  "name",
  "tool_name",
  "tool",
  "function",
  "action",
  "recipient_name",
  "function_name",
  "toolName",
];
const ARGUMENT_KEYS = [
  "arguments",
  "parameters",
  "args",
  "input",
  "params",
  "kwargs",
  "tool_input",
  "action_input",
  "tool_arguments",
  "function_arguments",
];
/** Members that hold a call, or a list of calls, as OpenAI-like messages do. */
const WRAPPER_KEYS = ["tool_calls", "function_call", "tool_uses", "function", "tool_call", "calls"];

export interface JsonCallRules {
  /**
   * What a call object without arguments is: `never` a call, as for objects found in prose, or a call `ifAllowed` by
   * the tool's schema, as for objects that an envelope marks as calls. A record of a call, as a log holds it, is data
   * in prose, and so are arguments that have no end.
   */
  readonly bare: "never" | "ifAllowed";
  /** A string that is not JSON becomes the only parameter of a tool that has one. */
  readonly plainInput?: boolean;
}

const MAX_WRAPPERS = 6;

/** The members of an object schema. */
const SCHEMA_KEYS = new Set([
  "type",
  "properties",
  "required",
  "additionalProperties",
  "description",
  "title",
  "default",
  "examples",
  "$schema",
  "$defs",
  "definitions",
]);

/**
 * The calls in a JSON value: one call object, a list of them, or an OpenAI-like message that holds them. Undefined if
 * the value is not of that form at all; an empty list if it is, but names no registered tool.
 */
export function jsonCalls(
  text: string,
  span: JsonSpan,
  tools: ToolIndex,
  rules: JsonCallRules,
): EnvelopeCall[] | undefined {
  return collect(text, span, tools, rules, 0);
}

function collect(
  text: string,
  span: JsonSpan,
  tools: ToolIndex,
  rules: JsonCallRules,
  depth: number,
): EnvelopeCall[] | undefined {
  if (depth > MAX_WRAPPERS) return undefined;
  const members = jsonMembers(text, span);
  if (text.charAt(span.start) === "[") {
    const lists = members.map((element) =>
      text.charAt(element.start) === "{" || text.charAt(element.start) === "["
        ? collect(text, element, tools, rules, depth + 1)
        : undefined,
    );
    const calls = lists.filter((list) => list !== undefined);
    return calls.length === 0 ? undefined : calls.flat();
  }
  if (rules.bare === "never" && isLogRecord(members)) return undefined;
  for (const wrapper of WRAPPER_KEYS) {
    const inner = members.findLast((member) => member.key === wrapper);
    if (inner === undefined) continue;
    const opener = text.charAt(inner.start);
    if (opener !== "{" && opener !== "[") continue;
    // A brace that is missing here may be one of the inner object's, but never one of a list that is closed.
    const closed = inner.complete && (span.complete || opener === "[");
    const calls = collect(text, { ...inner, complete: closed }, tools, rules, depth + 1);
    if (calls !== undefined) return calls;
  }
  return callObject(text, span, members, tools, rules);
}

function callObject(
  text: string,
  span: JsonSpan,
  members: readonly JsonMember[],
  tools: ToolIndex,
  rules: JsonCallRules,
): EnvelopeCall[] | undefined {
  const nameMember = firstOf(members, NAME_KEYS, (member) => !isContainer(text, member));
  if (nameMember === undefined || !nameMember.complete) return undefined;
  const found = firstOf(members, ARGUMENT_KEYS, () => true);
  if (found === undefined && rules.bare === "never") return undefined;
  if (found?.complete === false && rules.bare === "never") return [];
  const tool = tools.resolve(literalText(text.slice(nameMember.start, nameMember.end)));
  if (tool === undefined) return [];
  if (found === undefined) {
    if (span.complete && requiredNames(tool).length > 0) return [];
    return [{ name: tool.name, arguments: "{}", complete: span.complete }];
  }
  const written = argumentText(text, found, tool, rules);
  if (written === undefined) return [];
  const complete = found.complete && (span.complete || isFlat(text, found));
  return [{ name: tool.name, arguments: written, complete }];
}

/**
 * Whether arguments are the same whichever brace around them is missing. Where they hold an object, it may have been meant
 * to end before what now stands in it.
 */
function isFlat(text: string, { start, end }: JsonSpan): boolean {
  return text.charAt(start) !== "{" || !text.slice(start + 1, end).includes("{");
}

/** The arguments as an object's text, or undefined if this cannot be what the tool is called with. */
function argumentText(
  text: string,
  span: JsonSpan,
  tool: ExtractTool,
  rules: JsonCallRules,
): string | undefined {
  const raw = text.slice(span.start, span.end);
  if (raw.startsWith("{")) return isSchema(text, span, tool) ? undefined : raw;
  if (raw === "null" || raw === "None" || raw === "[]") return "{}";
  if (!/^["'“]/.test(raw)) return undefined;
  const inner = literalText(raw).trim();
  if (inner === "") return "{}";
  if (inner.startsWith("{")) {
    return isSchema(inner, { start: 0, end: inner.length, complete: true }, tool) ? undefined : inner;
  }
  return rules.plainInput === true ? plainInput(literalText(raw), tool) : undefined;
}

/** Text given where arguments belong is the value of the only parameter, if there is only one. */
export function plainInput(value: string, tool: ExtractTool): string | undefined {
  const [only, ...more] = parameterNames(tool);
  return only === undefined || more.length > 0
    ? undefined
    : JSON.stringify(Object.fromEntries([[only, value]]));
}

/**
 * An echoed tool definition has a JSON Schema where a call has arguments: `{"type": "object", ...}`, or a description
 * of each parameter in place of its value.
 */
function isSchema(text: string, span: JsonSpan, tool: ExtractTool): boolean {
  const members = jsonMembers(text, span);
  const type = members.findLast((member) => member.key === "type");
  if (type !== undefined && literalText(text.slice(type.start, type.end)) === "object") {
    return (
      parameterSchema(tool, "type") === undefined && members.every((member) => SCHEMA_KEYS.has(member.key))
    );
  }
  return members.length > 0 && members.every((member) => isDescribed(text, member, tool));
}

function isDescribed(text: string, member: JsonMember, tool: ExtractTool): boolean {
  if (text.charAt(member.start) !== "{") return false;
  const types = typesOf(parameterSchema(tool, member.key), tool.inputSchema);
  if (types.size === 0 || types.has("object")) return false;
  return jsonMembers(text, member).some((inner) => inner.key === "type" || inner.key === "description");
}

function firstOf(
  members: readonly JsonMember[],
  keys: readonly string[],
  accept: (member: JsonMember) => boolean,
): JsonMember | undefined {
  for (const key of keys) {
    const member = members.findLast((candidate) => candidate.key === key && accept(candidate));
    if (member !== undefined) return member;
  }
  return undefined;
}

function isContainer(text: string, span: JsonSpan): boolean {
  const opener = text.charAt(span.start);
  return opener === "{" || opener === "[";
}
