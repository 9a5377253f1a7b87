import type { Redactor } from "@toolrig/core";

const MOST = 120;
/** Of what is looked at: more cannot be in the gist, and secrets are found in what surrounds them. */
const READ = 400;

/** Arguments in at most 120 characters, without secrets. Costs the same however large they are. */
export function gistOf(args: unknown, redactor: Redactor): string {
  if (args === undefined || args === null) return "";
  const small = typeof args === "string" ? cut(args, READ) : reduced(args, { left: READ }, 0);
  const clean = redactor.value(small);
  const text = typeof clean === "string" ? clean : (JSON.stringify(clean) ?? "");
  return cut(collapsed(text), MOST);
}

/** Text in at most `most` characters, on one line, without secrets. */
export function excerptOf(value: unknown, most: number, redactor: Redactor): string {
  if (value === undefined || value === null) return "";
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
  return cut(collapsed(redactor.text(cut(text, most * 4))), most);
}

/** The beginning of a value, as far as the room for it goes. */
function reduced(value: unknown, room: { left: number }, depth: number): unknown {
  if (typeof value === "string") {
    const kept = cut(value, Math.max(8, room.left));
    room.left -= kept.length;
    return kept;
  }
  room.left -= 4;
  if (typeof value !== "object" || value === null) return value;
  if (depth > 4) return "…";
  if (Array.isArray(value)) {
    const items: unknown[] = [];
    for (const item of value) {
      if (room.left <= 0) return [...items, "…"];
      items.push(reduced(item, room, depth + 1));
    }
    return items;
  }
  const fields: Record<string, unknown> = {};
  for (const key in value) {
    if (room.left <= 0) {
      fields["…"] = "…";
      break;
    }
    room.left -= key.length;
    if (key !== "__proto__") fields[key] = reduced((value as Record<string, unknown>)[key], room, depth + 1);
  }
  return fields;
}

function collapsed(text: string): string {
  return text.replaceAll(/[\s\p{Cc}]+/gu, " ");
}

/** Never in the middle of a character. */
function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  const end = /[\ud800-\udbff]/.test(text.charAt(most - 2)) ? most - 2 : most - 1;
  return `${text.slice(0, end)}…`;
}
