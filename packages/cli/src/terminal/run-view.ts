import type { LoopEvent, Run } from "@toolrig/agent";
import type { CallEvent } from "@toolrig/core";
import { formatDuration } from "@toolrig/core/kit";
import { CallLines } from "./call-lines.ts";
import { printEvent } from "./event-json.ts";
import { excerpt } from "./event-text.ts";
import { note, stream } from "./output.ts";
import { Spinner } from "./spinner.ts";

export interface ViewOptions {
  /** Whether all that happens goes to standard output as data, in place of the rest. */
  events: boolean;
  /** Whether the text goes to standard output as it comes. */
  text: boolean;
  /** Every event of every call, not only how it ended. */
  verbose: boolean;
}

/** Shows a run while it goes on: its text on standard output, its calls on standard error. Tells whether it said any. */
export async function showRun(run: Run, options: ViewOptions): Promise<boolean> {
  if (options.events) {
    for await (const event of run) printEvent(event);
    return true;
  }
  const view = new RunView(options);
  for await (const event of run) view.show(event);
  view.end();
  return view.spoke;
}

class RunView {
  readonly #options: ViewOptions;
  readonly #calls: CallLines;
  readonly #spinner = new Spinner();
  #midLine = false;
  spoke = false;

  constructor(options: ViewOptions) {
    this.#options = options;
    this.#calls = new CallLines(options.verbose);
  }

  show(event: LoopEvent): void {
    if (event.type === "text") this.#write(event.text);
    else if (event.type === "turn.end") this.#endLine();
    else if (event.type === "model.retry") {
      this.#endLine();
      const { kind, delayMs, message } = event;
      note(
        `The model failed (${kind}: ${excerpt(message)}); asked again in ${formatDuration(delayMs)}.`,
        "warn",
      );
    } else if (isCallEvent(event)) this.#showCall(event);
  }

  end(): void {
    this.#spinner.hide();
    this.#endLine();
  }

  #showCall(event: CallEvent): void {
    this.#endLine();
    this.#spinner.hide();
    this.#calls.show(event);
    if (this.#calls.underWay !== "") this.#spinner.show(this.#calls.underWay);
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

function isCallEvent(event: LoopEvent): event is LoopEvent & CallEvent {
  return event.type.startsWith("call.");
}
