import type { LoopEvent, Run } from "@toolrig/agent";
import type { CallEvent } from "@toolrig/core";
import { formatDuration } from "@toolrig/core/kit";
import { describeEvent, eventLines, excerpt, LABEL_WIDTH } from "./event-text.ts";
import { note, paint, printStyled, roomOf, stream } from "./output.ts";
import { Spinner } from "./spinner.ts";
import { hang } from "./wrap.ts";

interface ShownCall {
  name: string;
  /** Name and arguments, as they may be shown. */
  what: string;
  repairs: string | undefined;
}

export interface ViewOptions {
  /** Whether the text goes to standard output as it comes. */
  text: boolean;
  /** Every event of every call, not only how it ended. */
  verbose: boolean;
}

/** Shows a run while it goes on: its text on standard output, its calls on standard error. Tells whether it said any. */
export async function showRun(run: Run, options: ViewOptions): Promise<boolean> {
  const view = new RunView(options);
  for await (const event of run) view.show(event);
  view.end();
  return view.spoke;
}

class RunView {
  readonly #options: ViewOptions;
  readonly #calls = new Map<string, ShownCall>();
  readonly #spinner = new Spinner();
  #origin: number | undefined;
  #midLine = false;
  spoke = false;

  constructor(options: ViewOptions) {
    this.#options = options;
  }

  show(event: LoopEvent): void {
    this.#origin ??= event.at;
    const since = event.at - this.#origin;
    if (event.type === "text") this.#write(event.text);
    else if (event.type === "turn.end") this.#endLine();
    else if (event.type === "model.retry") {
      this.#endLine();
      const { kind, delayMs, message } = event;
      note(
        `The model failed (${kind}: ${excerpt(message)}); asked again in ${formatDuration(delayMs)}.`,
        "warn",
      );
    } else if (isCallEvent(event)) this.#showCall(event, since);
  }

  end(): void {
    this.#spinner.hide();
    this.#endLine();
  }

  #showCall(event: CallEvent, since: number): void {
    this.#endLine();
    this.#spinner.hide();
    const { executionId } = event;
    if (event.type === "call.start")
      this.#calls.set(executionId, { name: event.name, what: describeEvent(event).text, repairs: undefined });
    const call = this.#calls.get(executionId);
    if (event.type === "call.repaired" && call !== undefined) call.repairs = describeEvent(event).text;
    if (event.type === "call.end") this.#calls.delete(executionId);
    if (this.#options.verbose) {
      printStyled(eventLines(since, describeEvent(event), "stderr"), "stderr");
    } else if (event.type === "call.end" && call !== undefined) {
      printStyled([callLine(event, call)], "stderr");
    }
    if (this.#calls.size > 0)
      this.#spinner.show([...this.#calls.values()].map(({ name }) => name).join(", "));
  }

  #write(text: string): void {
    if (!this.#options.text || text === "") return;
    this.#spinner.hide();
    stream(text);
    this.#midLine = !text.endsWith("\n");
    this.spoke = true;
  }

  #endLine(): void {
    if (this.#midLine) stream("\n");
    this.#midLine = false;
  }
}

/** "ok  search_docs {…} → found (12ms)", with what was repaired, or with the failure. */
function callLine(event: Extract<CallEvent, { type: "call.end" }>, { what, repairs }: ShownCall): string {
  const { label, text, tone } = describeEvent(event);
  const repaired = repairs === undefined ? "" : paint(` [repaired: ${repairs}]`, "warn", "stderr");
  const told = hang(LABEL_WIDTH + 1, `${what}${repaired} → ${text}`, roomOf("stderr"));
  return `${paint(label.padEnd(LABEL_WIDTH), tone, "stderr")} ${told}`;
}

function isCallEvent(event: LoopEvent): event is LoopEvent & CallEvent {
  return event.type.startsWith("call.");
}
