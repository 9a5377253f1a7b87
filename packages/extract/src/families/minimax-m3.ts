/**
 * Tags as in M2, each with the prefix P = `]<]minimax[>[`: P`<tool_call>` (P`<invoke name="N">` (P`<K>` V P`</K>`)*
 * P`</invoke>`)+ P`</tool_call>`. Objects are nested tags, lists are repeated ones; V is typed by the schema.
 */
import { ArgumentBuilder } from "../argument-builder.ts";
import type { Envelope, EnvelopeItem, ExtractFamily, ScanContext } from "../family.ts";
import { find, nameEnd, type Reading, skipSpace, startsWith } from "../input.ts";
import { readSection } from "../read-section.ts";
import { readAttributes } from "../read-tags.ts";
import { parameterSchema, propertySchema, typesOf } from "../tool-index.ts";
import { typedValue } from "../typed-value.ts";

const P = "]<]minimax[>[";
const INVOKE = `${P}<invoke`;
const INVOKE_END = `${P}</invoke>`;
const SECTION_END = `${P}</tool_call>`;
const MAX_DEPTH = 50;

interface Element {
  readonly key: string;
  readonly json: string;
  readonly end: number;
}

/** Reads the element at `start`. Undefined if there is none, or if its own closing tag does not come. */
function* readElement(
  scan: ScanContext,
  start: number,
  schemaOf: (key: string) => unknown,
  root: unknown,
  depth: number,
): Reading<Element | undefined> {
  const { input } = scan;
  if (depth > MAX_DEPTH || !(yield* startsWith(input, start, `${P}<`))) return undefined;
  const keyStart = start + P.length + 1;
  const keyEnd = yield* nameEnd(input, keyStart);
  const key = input.text.slice(keyStart, keyEnd);
  if (key === "" || !(yield* startsWith(input, keyEnd, ">"))) return undefined;
  const close = `${P}</${key}>`;
  const schema = schemaOf(key);
  const types = typesOf(schema, root);
  const first = yield* skipSpace(input, keyEnd + 1);
  const nested = (yield* startsWith(input, first, `${P}<`)) && !(yield* startsWith(input, first, `${P}</`));
  if (nested && !types.has("string")) {
    return yield* readChildren(scan, first, { key, close, schema, isList: types.has("array") }, root, depth);
  }
  const end = yield* find(input, keyEnd + 1, close);
  if (end === -1) return undefined;
  const raw = input.text.slice(keyEnd + 1, end);
  if (types.size > 0 && !types.has("string") && raw.includes(P)) return undefined;
  return { key, json: typedValue(raw, schema, root, { untyped: "string" }), end: end + close.length };
}

function* readChildren(
  scan: ScanContext,
  start: number,
  parent: { key: string; close: string; schema: unknown; isList: boolean },
  root: unknown,
  depth: number,
): Reading<Element | undefined> {
  const { input } = scan;
  const items = Object(parent.schema).items;
  const children: Element[] = [];
  let at = start;
  for (;;) {
    at = yield* skipSpace(input, at);
    if (yield* startsWith(input, at, parent.close)) break;
    const schemaOf = (key: string) => (parent.isList ? items : propertySchema(parent.schema, key));
    const child = yield* readElement(scan, at, schemaOf, root, depth + 1);
    if (child === undefined) return undefined;
    children.push(child);
    at = child.end;
  }
  const json = parent.isList
    ? `[${children.map((child) => child.json).join(", ")}]`
    : `{${children.map((child) => `${JSON.stringify(child.key)}: ${child.json}`).join(", ")}}`;
  return { key: parent.key, json, end: at + parent.close.length };
}

function* readInvoke(scan: ScanContext, start: number): Reading<EnvelopeItem | undefined> {
  const { input, tools } = scan;
  const head = yield* readAttributes(input, start);
  if (head === undefined || head === "cut") return undefined;
  const name = head.attributes.get("name");
  if (name === undefined) return undefined;
  const tool = tools.resolve(name);
  const builder = new ArgumentBuilder(tool);
  let at = yield* skipSpace(input, head.end);
  for (;;) {
    const schemaOf = (key: string) => (tool === undefined ? undefined : parameterSchema(tool, key));
    const element = yield* readElement(scan, at, schemaOf, tool?.inputSchema, 0);
    if (element === undefined) break;
    builder.addJson(element.key, element.json);
    at = yield* skipSpace(input, element.end);
  }
  const closed = yield* startsWith(input, at, INVOKE_END);
  if (!closed && (yield* startsWith(input, at, `${P}<`))) return undefined;
  const call = tool && { name: tool.name, arguments: builder.text(), complete: closed };
  return { call, end: closed ? at + INVOKE_END.length : at };
}

function* read(scan: ScanContext, start: number): Reading<Envelope | undefined> {
  return yield* readSection(scan, start, { open: INVOKE, read: readInvoke, close: [SECTION_END] });
}

export const minimaxM3: ExtractFamily = {
  name: "minimax-m3",
  title: "MiniMax M3",
  example: `${P}<tool_call>${P}<invoke name="search">${P}<query>x${P}</query>${P}</invoke>${P}</tool_call>`,
  openings: [{ literal: `${P}<tool_call>`, at: "anywhere", read }],
};
