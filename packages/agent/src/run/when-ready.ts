import type { CallExecutor, Duration } from "@toolrig/core";
import {
  type CallWaits,
  type Clock,
  check,
  declareOptions,
  defined,
  type Journal,
  type OptionTable,
  option,
  parseDuration,
  type RunHeader,
  type RunSummary,
} from "@toolrig/core/kit";
import type { WaitingCall } from "./outcome.ts";

export interface WhenReadyOptions<Run> {
  /** How often the journal is looked into for what ended elsewhere. Default "2s". */
  every?: Duration;
  /** Which suspended runs are resumed here. Default: all but those that are part of another. */
  which?(run: RunHeader): boolean;
  /**
   * Whether calls also run that were approved after the process that asked had died, of this executor's tools. Default false: they are
   * listed by `toolrig waiting`.
   */
  approved?: boolean;
  /** Is handed every run that goes on. */
  onResume?(run: Run): unknown;
}

const whenReadyOptions = declareOptions("resumeWhenReady", {
  every: option.duration({ default: "2s" }),
  which: option.callback(),
  approved: option.flag({ default: false }),
  onResume: option.callback(),
} satisfies OptionTable<WhenReadyOptions<unknown>>);

const PAGE = 100;

/** What is looked after. */
export interface Suspended<Run> {
  journal: Journal | undefined;
  kind: RunHeader["kind"];
  executor: CallExecutor;
  clock: Clock;
  /** Whether a run goes on when all of its waits have ended, or as soon as one has. */
  after: "every" | "some";
  resume(runId: string): Run;
}

/**
 * Resumes suspended runs when what they wait for has come. Any number of processes may look after one journal: a run is
 * resumed by the one that claims it. Returns how to stop.
 */
export function resumeWhenReady<Run>(
  suspended: Suspended<Run>,
  options: WhenReadyOptions<Run> = {},
): () => void {
  const { every } = whenReadyOptions.withDefaults(options);
  const { journal, executor } = suspended;
  if (journal === undefined) throw check.invalid("journal", "given to resume runs", undefined);
  if (executor.waits === undefined)
    throw check.invalid("executor", "one that knows what its calls wait for", undefined);
  const everyMs = parseDuration(every, "every");
  const lookout = new Lookout(suspended, journal, executor.waits, options, everyMs);
  const stop = options.approved === true ? executor.waits.runApproved?.({ every: everyMs }) : undefined;
  return () => {
    stop?.();
    lookout.stop();
  };
}

class Lookout<Run> {
  readonly #suspended: Suspended<Run>;
  readonly #journal: Journal;
  readonly #waits: CallWaits;
  readonly #options: WhenReadyOptions<Run>;
  readonly #everyMs: number;
  readonly #unlisten: () => void;
  #timer: unknown;
  #looking = false;
  #again = false;
  #stopped = false;

  constructor(
    suspended: Suspended<Run>,
    journal: Journal,
    waits: CallWaits,
    options: WhenReadyOptions<Run>,
    everyMs: number,
  ) {
    this.#suspended = suspended;
    this.#journal = journal;
    this.#waits = waits;
    this.#options = options;
    this.#everyMs = everyMs;
    this.#unlisten = waits.onEnd(() => this.#look());
    waits.start();
    this.#look();
  }

  stop(): void {
    this.#stopped = true;
    this.#unlisten();
    this.#suspended.clock.clear(this.#timer);
  }

  #look(): void {
    this.#again = true;
    if (!this.#looking) void this.#lookWhileNeeded();
  }

  async #lookWhileNeeded(): Promise<void> {
    const { clock } = this.#suspended;
    this.#looking = true;
    clock.clear(this.#timer);
    while (this.#again && !this.#stopped) {
      this.#again = false;
      // A journal that fails for a moment is asked again.
      await this.#lookOnce().catch(() => {});
    }
    this.#looking = false;
    if (this.#stopped) return;
    this.#timer = clock.set(() => this.#look(), this.#everyMs);
    (this.#timer as { unref?: () => void } | undefined)?.unref?.();
  }

  async #lookOnce(): Promise<void> {
    const { kind } = this.#suspended;
    for (let before: number | undefined; ; ) {
      const page = await this.#journal.runs({
        ended: false,
        kind,
        limit: PAGE,
        ...defined({ before }),
      });
      for (const run of page) if (!this.#stopped && (await this.#isReady(run))) await this.#resume(run);
      if (page.length < PAGE) return;
      before = page.at(-1)?.header.startedAt;
    }
  }

  async #isReady({ header, waiting }: RunSummary): Promise<boolean> {
    if (waiting === undefined || !(await this.#isMine(header))) return false;
    const { after } = this.#suspended;
    const { waits = [] } = waiting.outcome as { waits?: readonly WaitingCall[] };
    const found = await Promise.all(waits.map(({ waiting: { id } }) => this.#waits.store.get(id)));
    const isOver = (each: (typeof found)[number]) => each?.end !== undefined;
    return after === "every" ? found.every(isOver) : found.some(isOver);
  }

  /** The run of a step is called as its plan, with the step's name; that of a call as its execution. Those resume it. */
  async #isMine(header: RunHeader): Promise<boolean> {
    if (this.#options.which !== undefined) return this.#options.which(header);
    const { runId } = header;
    const at = runId.lastIndexOf("/");
    if (runId.endsWith("/run")) return false;
    return at === -1 || (await this.#journal.header(runId.slice(0, at))) === undefined;
  }

  /** Who comes second with the same count of entries is refused, and leaves the run to the first. */
  async #resume({ header: { runId }, entries }: RunSummary): Promise<void> {
    try {
      await this.#journal.append(runId, [{ type: "resumed" }], entries);
    } catch {
      return;
    }
    const run = this.#suspended.resume(runId);
    try {
      await this.#options.onResume?.(run);
    } catch {
      // Who is told of a run does not change it.
    }
  }
}
