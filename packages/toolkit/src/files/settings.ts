import type { DataLabels, Lock } from "@toolrig/core";
import { type ArtifactStore, check } from "@toolrig/core/kit";
import { PROTECTED } from "../confine/protected.ts";
import { Roots, type RootsInput } from "../confine/roots.ts";
import { FORMATS, type OutputFormat } from "./output.ts";

/** Of every tool that reads files. */
export interface ReadingOptions {
  /** The folders that may be touched: one, or several of which the first is where relative paths begin. */
  roots: RootsInput;
  /** What is known of the contents of files. Default: untrusted and private, from "files". */
  labels?: DataLabels;
  /** How structured data is shown to the model unless a call asks otherwise. Default "labeled". */
  output?: OutputFormat;
}

/** Of every tool that changes files. */
export interface ChangingOptions extends Omit<ReadingOptions, "output"> {
  /** Patterns of what is never changed. Default: everything in `.git`, and `.env` files. */
  protect?: readonly string[];
  /** Keeps what files held before and after, so that a diff can be made. Default: only hashes and sizes are known. */
  artifacts?: ArtifactStore;
}

export interface ReadingSettings {
  readonly roots: Roots;
  readonly labels: DataLabels;
  readonly output: OutputFormat;
}

export interface ChangingSettings extends Omit<ReadingSettings, "output"> {
  readonly protect: readonly string[];
  readonly artifacts: ArtifactStore | undefined;
}

/** Anybody may have written what is in a file, and what is in it is nobody else's business. */
const FILE_LABELS: DataLabels = {
  integrity: "untrusted",
  confidentiality: "private",
  source: "files",
};

/** Checks the options of a maker. `more` are settings that only it has. */
export function readingSettings(
  maker: string,
  options: ReadingOptions,
  more: readonly string[] = [],
): ReadingSettings {
  check.object(`The options of ${maker}`, options);
  check.known(maker, options, ["roots", "labels", "output", ...more]);
  const { output = "labeled" } = options;
  check.oneOf("output", output, FORMATS);
  return { ...common(options), output };
}

export function changingSettings(
  maker: string,
  options: ChangingOptions,
  more: readonly string[] = [],
): ChangingSettings {
  check.object(`The options of ${maker}`, options);
  check.known(maker, options, ["roots", "labels", "protect", "artifacts", ...more]);
  const { protect = PROTECTED, artifacts } = options;
  check.has("artifacts", artifacts, ["put", "write"], "an artifact store");
  return {
    ...common(options),
    protect: check.strings("protect", protect, 'a list of patterns such as ".git/**"'),
    artifacts,
  };
}

function common({ roots, labels }: ReadingOptions): Omit<ReadingSettings, "output"> {
  if (labels !== undefined) check.known("labels", labels, ["integrity", "confidentiality", "source"]);
  return { roots: Roots.of(roots), labels: { ...FILE_LABELS, ...labels } };
}

/** The lock of a path. One that cannot be placed will be refused, and conflicts with nothing. */
export function fileLock(roots: Roots, path: string, mode: "read" | "write"): Lock {
  try {
    return { key: `file:${roots.place(path).absolute}`, mode };
  } catch {
    return { key: `file:?${path}`, mode };
  }
}
