import { isDeepStrictEqual } from "node:util";
import {
  type CallEvent,
  type ProgressUpdate,
  type Repair,
  type ToolResult,
  textOf,
  type Waiting,
} from "@toolrig/core";
import type { ThrownError } from "@toolrig/core/kit";
import { formatDuration } from "@toolrig/core/kit";
import { decode } from "@toolrig/json";
import { paint, roomOf, type Tone, visible } from "./output.ts";
import { redacted, redactedText } from "./redaction.ts";
import type { Stream } from "./streams.ts";
import { hang } from "./wrap.ts";

/** An event for people: a word, what there is to say, and how it should look. Secrets and control characters are masked. */
export interface EventText {
  label: string;
  text: string;
  tone: Tone;
}

/** Room for the longest label, "unavailable". */
export const LABEL_WIDTH = 11;
const MAX_REPAIRS = 4;
/** As much of a text as is looked at for secrets: more than is ever shown, with room for the longest of them. */
const LONGEST = 16_384;

const TIME_WIDTH = 6;

/** An event with the milliseconds since the first one, in lines of at most `room` characters. */
export function eventLines(
  sinceMs: number,
  { label, text, tone }: EventText,
  stream: Stream,
  room = roomOf(stream),
): string[] {
  const time = paint(formatDuration(sinceMs).padStart(TIME_WIDTH), "dim", stream);
  const told = hang(TIME_WIDTH + 2 + LABEL_WIDTH + 1, text, room);
  return `${time}  ${paint(label.padEnd(LABEL_WIDTH), tone, stream)} ${told}`.split("\n");
}

export function describeEvent(event: CallEvent): EventText {
  switch (event.type) {
    case "call.start":
      return { label: "start", text: startText(event), tone: "strong" };
    case "call.repaired":
      return { label: event.mode, text: repairsText(event.repairs), tone: "warn" };
    case "call.verdict":
      return {
        label: excerpt(event.verdict),
        text: excerpt([`guard ${event.guard}`, event.reason].filter(Boolean).join(": ")),
        tone: event.verdict === "deny" || event.verdict === "stop" ? "bad" : "plain",
      };
    case "call.attempt":
      return { label: "attempt", text: `${event.attempt} with ${excerpt(event.args)}`, tone: "plain" };
    case "call.update":
      return { label: "update", text: updateText(event.update), tone: "dim" };
    case "call.log":
      return { label: event.level, text: excerpt(event.message), tone: "dim" };
    case "call.retry":
      return {
        label: "retry",
        text: `in ${formatDuration(event.delayMs)}, because: ${excerpt(event.failure.message)}`,
        tone: "warn",
      };
    case "call.error":
      return { label: "threw", text: thrownText(event.error), tone: "bad" };
    case "call.unrecorded":
      return { label: "unrecorded", text: excerpt(event.message), tone: "bad" };
    case "call.waiting":
      return { label: "waiting", text: waitingText(event.waiting), tone: "warn" };
    case "call.resumed":
      return {
        label: "resumed",
        text: `${excerpt(event.how)} after ${formatDuration(event.waitedMs)}`,
        tone: "plain",
      };
    case "call.settled":
      return { label: "settled", text: "over; others of its batch go on", tone: "dim" };
    case "call.end":
      return endText(event.result);
    case "call.late":
      return {
        label: "late",
        text: `${event.isError ? "threw" : "returned"} ${formatDuration(event.afterMs)} after it was given up; not used`,
        tone: "dim",
      };
  }
}

function waitingText({ kind, note, expiresAt }: Waiting): string {
  const until = expiresAt === undefined ? [] : [`until ${new Date(expiresAt).toISOString()}`];
  return excerpt([`for ${kind}`, ...(note === undefined ? [] : [note]), ...until].join(", "));
}

/** What was thrown and where, on one line; `toolrig show` has the whole stack. */
function thrownText({ name, message, stack = "" }: ThrownError): string {
  const [, place = ""] = /\n\s+(at .*)/.exec(stack) ?? [];
  return excerpt(`${name}: ${message} ${place}`);
}

/** Any value on one line, short. */
export function excerpt(value: unknown, most = 100): string {
  const text =
    typeof value === "string"
      ? redactedText(value.slice(0, LONGEST))
      : (JSON.stringify(redacted(value)) ?? "");
  const line = visible(text.slice(0, most * 2))
    .replace(/\s+/g, " ")
    .trim();
  return line.length > most ? `${line.slice(0, most - 1)}…` : line;
}

/** All of it on one line, without secrets. */
export function wholeLine(value: unknown): string {
  const text = typeof value === "string" ? redactedText(value) : (JSON.stringify(redacted(value)) ?? "");
  return visible(text).replace(/\s+/g, " ").trim();
}

/** The arguments as they were written, unless that would show what stands under a secret key. */
function startText({ name, arguments: args = {} }: { name: string; arguments: unknown }): string {
  const decoded = typeof args === "string" ? decode(args) : undefined;
  const clean = decoded?.ok ? redacted(decoded.value) : undefined;
  const secret = decoded?.ok && !isDeepStrictEqual(clean, decoded.value);
  return `${excerpt(name)} ${excerpt(secret ? clean : args)}`;
}

/** "trailing-comma at 12": what was changed, where. */
function repairText({ kind, position, path }: Repair): string {
  const place = path ?? position;
  return place === undefined || place === "" ? kind : `${kind} at ${place}`;
}

function repairsText(repairs: readonly Repair[]): string {
  const shown = repairs.slice(0, MAX_REPAIRS).map(repairText).join(", ");
  const more = repairs.length > MAX_REPAIRS ? ` and ${repairs.length - MAX_REPAIRS} more` : "";
  return `${excerpt(shown, 200)}${more}`;
}

function updateText({ content, details, progress }: ProgressUpdate): string {
  const percent = progress === undefined ? [] : [`${Math.round(progress * 100)}%`];
  const said = [content, details].filter((each) => each !== undefined).map((each) => excerpt(each));
  return [...percent, ...said].join(" ");
}

function endText({ failure, content, durationMs, attempts }: ToolResult): EventText {
  const tries = attempts > 1 ? ` after ${attempts} attempts` : "";
  const time = formatDuration(durationMs);
  if (failure === undefined)
    return { label: "ok", text: `${excerpt(textOf(content))} (${time}${tries})`, tone: "good" };
  const text = `${failure.code}: ${excerpt(failure.message, 160)} (${time}${tries})`;
  return { label: failure.kind, text, tone: "bad" };
}
