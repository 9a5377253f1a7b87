import type { OptionTable } from "./declare-options.ts";
import type { Duration } from "./duration.ts";
import { callback, duration, oneOf, text } from "./kinds.ts";

/** Type tests: this file fails to compile when a table that does not fit its interface compiles. It is never run. */
interface Options {
  name: string;
  mode?: "parallel" | "sequential";
  timeout?: Duration;
  onEnd?: (code: number) => void;
}

const name = text({ required: true });
const mode = oneOf(["parallel", "sequential"]);

export const fits = { name, mode, timeout: duration(), onEnd: callback() } satisfies OptionTable<Options>;
// @ts-expect-error: a member of the interface is not declared
export const missing = { name, mode, timeout: duration() } satisfies OptionTable<Options>;
export const surplus = {
  ...{ name, mode, timeout: duration(), onEnd: callback() },
  // @ts-expect-error: no member of the interface
  speed: duration(),
} satisfies OptionTable<Options>;
export const narrow = {
  ...{ name, timeout: duration(), onEnd: callback() },
  // @ts-expect-error: a choice is missing
  mode: oneOf(["parallel"]),
} satisfies OptionTable<Options>;
export const other = {
  ...{ name, mode, onEnd: callback() },
  // @ts-expect-error: another type
  timeout: text(),
} satisfies OptionTable<Options>;
export const optional = {
  ...{ mode, timeout: duration(), onEnd: callback() },
  // @ts-expect-error: a member that is not optional is declared required
  name: text(),
} satisfies OptionTable<Options>;
