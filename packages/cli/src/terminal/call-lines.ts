import type { CallEvent } from "@toolrig/core";
import { describeEvent, eventLines, LABEL_WIDTH } from "./event-text.ts";
import { paint, printStyled, roomOf } from "./output.ts";
import { hang } from "./wrap.ts";

interface ShownCall {
  name: string;
  /** Name and arguments, as they may be shown. */
  what: string;
  repairs?: string;
  /** How far its tool says it is. */
  progress?: string;
  /** Whether it is over, while others of its batch are not. */
  isOver?: boolean;
}

/** Calls on standard error while they go on: a line for each that ends, or all of its events. */
export class CallLines {
  readonly #verbose: boolean;
  readonly #calls = new Map<string, ShownCall>();
  #origin: number | undefined;

  constructor(verbose: boolean) {
    this.#verbose = verbose;
  }

  /** What is under way, in a few words; empty when nothing is. */
  get underWay(): string {
    return [...this.#calls.values()]
      .filter(({ isOver }) => isOver !== true)
      .map(({ name, progress = "" }) => `${name} ${progress}`.trim())
      .join(", ");
  }

  show(event: CallEvent): void {
    const call = this.#follow(event);
    if (event.type === "call.end") this.#calls.delete(event.executionId);
    this.#origin ??= event.at;
    if (this.#verbose)
      printStyled(eventLines(event.at - this.#origin, describeEvent(event), "stderr"), "stderr");
    else if (event.type === "call.end" && call !== undefined) printStyled([callLine(event, call)], "stderr");
  }

  #follow(event: CallEvent): ShownCall | undefined {
    const { executionId, type, name } = event;
    if (type === "call.start") this.#calls.set(executionId, { name, what: describeEvent(event).text });
    const call = this.#calls.get(executionId);
    if (call === undefined) return undefined;
    if (type === "call.repaired") call.repairs = describeEvent(event).text;
    if (type === "call.update") call.progress = describeEvent(event).text;
    if (type === "call.settled") call.isOver = true;
    return call;
  }
}

/** "ok  search_docs {…} → found (12ms)", with what was repaired, or with the failure. */
function callLine(event: Extract<CallEvent, { type: "call.end" }>, { what, repairs }: ShownCall): string {
  const { label, text, tone } = describeEvent(event);
  const repaired = repairs === undefined ? "" : paint(` [repaired: ${repairs}]`, "warn", "stderr");
  const told = hang(LABEL_WIDTH + 1, `${what}${repaired} → ${text}`, roomOf("stderr"));
  return `${paint(label.padEnd(LABEL_WIDTH), tone, "stderr")} ${told}`;
}
