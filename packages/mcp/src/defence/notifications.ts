import { cleanText } from "./clean-text.ts";
import { measure } from "./measure.ts";

/** Something a server said unasked. Data of a stranger: never an instruction. */
export interface Notification {
  /** Where it comes from, such as "mcp:github". */
  source: string;
  /** What kind of message it was, such as "message" or "resources/updated". */
  kind: string;
  text: string;
  /** How often it came since it was last taken. */
  count: number;
}

const MAX_TEXT = 2_000;

/**
 * What servers said unasked, until somebody takes it. Holds so many; what is said again is counted, and what no longer fits is
 * dropped and counted. Adding takes the same short time however much is said.
 */
export class NotificationQueue {
  readonly #most: number;
  readonly #waiting = new Map<string, Notification>();
  #dropped = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** How many were dropped since they were last taken. */
  get dropped(): number {
    return this.#dropped;
  }

  get size(): number {
    return this.#waiting.size;
  }

  add(source: string, kind: string, text: string): void {
    const cut = text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text;
    const key = `${kind}\n${cut}`;
    const known = this.#waiting.get(key);
    if (known !== undefined) known.count += 1;
    else if (this.#waiting.size >= this.#most) this.#dropped += 1;
    else this.#waiting.set(key, { source, kind, text: cleanText(cut).text, count: 1 });
  }

  /** All that wait, in the order in which they first came. */
  take(): Notification[] {
    const all = [...this.#waiting.values()];
    this.#waiting.clear();
    this.#dropped = 0;
    return all;
  }
}

/** What a notification says. What is too large to be shown is not looked at. */
export function noticeText(params: unknown): string {
  const { data, message } = Object(params) as { data?: unknown; message?: unknown };
  const said = data ?? message ?? params;
  if (typeof said === "string") return said;
  const { size, depth } = measure(said, { size: MAX_TEXT, depth: 20 });
  return size > MAX_TEXT || depth > 20 ? "(too large to be shown)" : (JSON.stringify(said) ?? "");
}
