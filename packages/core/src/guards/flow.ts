import { textOf } from "../content.ts";
import type { AfterInput, Guard, GuardInput, Verdict } from "../guard.ts";
import type { Labels } from "../labels.ts";
import type { ToolResult } from "../result.ts";
import { hasSideEffects } from "../safety.ts";
import type { AnyTool } from "../tool.ts";
import type { Profile } from "./policy.ts";
import { KnownText, leavesOf } from "./provenance.ts";

export interface FlowOptions {
  /** Default "standard". */
  profile?: Profile;
  /** Labels for tools that declare none, or other ones than they declare. */
  labelsOf?: (tool: AnyTool, provider: string | undefined) => Labels | undefined;
}

/** A recorded decision that what a run has read so far may be trusted after all. */
export interface Declassification {
  by: string;
  reason: string;
  at: number;
}

interface RunState {
  /** What the user wrote and trusted tools returned. */
  known: KnownText;
  /** Where untrusted text came from, in order. */
  untrusted: string[];
  /** Where private data came from, in order. */
  private: string[];
  declassified: Declassification[];
}

const MOST_RUNS = 10_000;

/**
 * Contains prompt injection at the tool boundary. It does not try to detect it: it follows what a run has read, and
 * asks before a call with side effects whose decisive arguments could stem from somebody other than the user.
 */
export class InformationFlow {
  readonly #profile: Profile;
  readonly #labelsOf: NonNullable<FlowOptions["labelsOf"]>;
  readonly #runs = new Map<string, RunState>();

  constructor({ profile = "standard", labelsOf = () => undefined }: FlowOptions = {}) {
    this.#profile = profile;
    this.#labelsOf = labelsOf;
  }

  /** The user's own words: values that occur in them are the user's choice. */
  userSaid(runId: string, text: string): void {
    this.#run(runId).known.add(text);
  }

  /** Lifts the labels a run has gathered, by an explicit decision that stays on record. */
  declassify(runId: string, decision: { by: string; reason: string }): void {
    const run = this.#run(runId);
    run.declassified.push({ ...decision, at: Date.now() });
    run.untrusted = [];
    run.private = [];
  }

  /** What a run has read and who lifted what. */
  labels(runId: string): {
    untrusted: readonly string[];
    private: readonly string[];
    declassified: readonly Declassification[];
  } {
    const { untrusted, private: secrets, declassified } = this.#run(runId);
    return { untrusted, private: secrets, declassified };
  }

  /** Takes up a result of a run that is resumed, with the labels it was given when it came. */
  recall(runId: string, { labels, isError, content }: ToolResult): void {
    if (labels === undefined) return;
    const run = this.#run(runId);
    const source = labels.source ?? "an earlier result";
    if (labels.confidentiality === "private") run.private.push(source);
    if (labels.integrity === "untrusted") run.untrusted.push(source);
    else if (!isError) run.known.add(textOf(content));
  }

  forget(runId: string): void {
    this.#runs.delete(runId);
  }

  readonly guard: Guard = {
    name: "information-flow",
    before: (input) => this.#before(input),
    after: (input) => this.#after(input),
  };

  #before(input: GuardInput): Verdict | undefined {
    if (this.#profile === "open" || !hasSideEffects(input.tool.safety)) return undefined;
    const run = this.#run(input.runId ?? "");
    const untrusted = run.untrusted.at(-1);
    if (untrusted === undefined) return undefined;
    const { name, safety } = input.tool;
    if (this.#profile === "strict") {
      return {
        verdict: "ask",
        reason: `${name} has side effects and the run has read untrusted text (${untrusted})`,
      };
    }
    const secret = run.private.at(-1);
    if (secret !== undefined && safety.sideEffects === "external") {
      const reason = `the run has read untrusted text (${untrusted}) and private data (${secret}), and ${name} acts outside`;
      return { verdict: "ask", reason };
    }
    const foreign = this.#foreignArguments(input, run.known);
    if (foreign.length === 0) return undefined;
    const reason = `the run has read untrusted text (${untrusted}), and ${foreign.join(", ")} of ${name} does not come from the user`;
    return { verdict: "ask", reason };
  }

  /** Sinks whose values are neither the user's words nor from a trusted result. Undeclared: every argument is a sink. */
  #foreignArguments({ tool, provider, args }: GuardInput, known: KnownText): string[] {
    const sinks = this.#labels(tool, provider).sinks;
    return leavesOf(args)
      .filter(({ path }) => sinks === undefined || sinks.includes(path[0] ?? ""))
      .filter(({ value }) => !known.has(value))
      .map(({ path }) => path.join("."));
  }

  #after({ tool, provider, runId, result }: AfterInput): undefined {
    if (result.attempts === 0 && result.cached !== true) return;
    const { integrity, confidentiality = "public", source = tool.name } = this.#labels(tool, provider);
    result.labels = { integrity: integrity ?? "trusted", confidentiality, source };
    this.recall(runId ?? "", result);
  }

  /** A tool whose definition came from outside returns untrusted text unless this program says otherwise. */
  #labels(tool: AnyTool, provider: string | undefined): Labels {
    const declared = { ...tool.labels, ...this.#labelsOf(tool, provider) };
    if (declared.integrity === undefined && !tool.trusted) return { ...declared, integrity: "untrusted" };
    return declared;
  }

  #run(runId: string): RunState {
    let run = this.#runs.get(runId);
    if (run === undefined) {
      run = { known: new KnownText(), untrusted: [], private: [], declassified: [] };
      this.#runs.set(runId, run);
      if (this.#runs.size > MOST_RUNS) this.#runs.delete(this.#runs.keys().next().value!);
    }
    return run;
  }
}
