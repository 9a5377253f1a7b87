import { expect, test } from "vitest";
import { ToolrigError } from "../failure/failure.ts";
import { checksFor } from "./check.ts";
import { declareOptions, type OptionTable, omitOptions, pickOptions } from "./declare-options.ts";
import type { Duration } from "./duration.ts";
import { callback, count, duration, flag, group, limit, listOf, oneOf, text } from "./kinds.ts";

interface Backoff {
  first?: Duration;
}

interface Options {
  engine: string;
  maxToolIterations?: number;
  mode?: "parallel" | "sequential";
  timeout?: Duration;
  backoff?: Backoff;
  tags?: readonly string[];
}

const backoff = declareOptions("backoff", { first: duration({ zero: true }) } satisfies OptionTable<Backoff>);
const options = declareOptions("Loop", {
  engine: text({ required: true, aliases: ["model"] }),
  maxToolIterations: limit(1, { default: 20, aliases: ["maxSteps", "maxTurns"] }),
  mode: oneOf(["parallel", "sequential"], { default: "parallel" }),
  timeout: duration(),
  backoff: group(backoff),
  tags: listOf("a list of tags", text()),
} satisfies OptionTable<Options>);

function refusal(given: unknown): ToolrigError {
  try {
    options.check(given);
  } catch (error) {
    if (ToolrigError.isInstance(error)) return error;
    throw error;
  }
  throw new Error("It was accepted.");
}

test("options that hold are accepted, and an option that is undefined counts as not given", () => {
  options.check({ engine: "e", mode: undefined, backoff: { first: 0 }, tags: [] });
});

test.each([
  [{ engine: "e", maxTurns: 3 }, 'Unknown option "maxTurns" for Loop. Did you mean "maxToolIterations"?'],
  [{ model: "gpt" }, 'Unknown option "model" for Loop. Did you mean "engine"?'],
  [
    { engine: "e", timeuot: 1 },
    'Unknown option "timeuot" for Loop. Did you mean "timeout"? Available options: engine, maxToolIterations, mode, timeout, backoff, tags.',
  ],
  [{ engine: "e", backoff: { frist: 1 } }, 'Unknown option "frist" for backoff. Did you mean "first"?'],
  [{}, "engine must be a non-empty string; got undefined."],
  [undefined, "engine must be a non-empty string; got undefined."],
  [42, "The options of Loop must be an object of options; got 42."],
  [{ engine: "e", mode: "sequentially" }, 'mode must be "parallel" or "sequential"; got "sequentially".'],
  [{ engine: "e", mode: null }, 'mode must be "parallel" or "sequential"; got null.'],
  [{ engine: "e", maxToolIterations: 0 }, "maxToolIterations must be a whole number of at least 1; got 0."],
  [{ engine: "e", timeout: "soon" }, 'such as "500ms" or "10s"; got "soon".'],
  [{ engine: "e", backoff: { first: -1 } }, "backoff.first must be a duration of 0 or more"],
  [{ engine: "e", backoff: [] }, "backoff must be an object of options; got an array."],
  [{ engine: "e", tags: ["a", ""] }, "tags[1] must be a non-empty string"],
  [{ engine: "e", tags: [undefined] }, "tags[0] must be a non-empty string; got undefined."],
])("%o is refused with the name, the value and what is allowed", (given, message) => {
  const error = refusal(given);
  expect(error.code).toBe("OPTION_INVALID");
  expect(error.message).toContain(message);
});

test("an instance of a class may have members that are no options, and its options are checked", () => {
  class Settings {
    engine = "e";
    more = 1;
    get mode() {
      return "sideways";
    }
  }
  expect(refusal(new Settings()).message).toContain(
    'mode must be "parallel" or "sequential"; got "sideways"',
  );
});

test("an option that is inherited is refused instead of ignored", () => {
  const refused = refusal(
    Object.create({ mode: "parallel", more: 1 }, { engine: { value: "e", enumerable: true } }),
  );
  expect(refused.message).toContain(
    'mode must be an own property of the options, not inherited; got "parallel"',
  );
});

test("defaults are filled in where an option is not given", () => {
  expect(options.defaults).toEqual({ maxToolIterations: 20, mode: "parallel" });
  const filled = options.withDefaults<Options>({ engine: "e", mode: "sequential" });
  expect(filled).toEqual({ engine: "e", mode: "sequential", maxToolIterations: 20 });
});

test("errors carry the code and the place of the checks that are given", () => {
  const checks = checksFor({ code: "CONFIG_INVALID", where: "toolrig.config.json: " });
  expect(() => options.check({ engine: 1 }, undefined, checks)).toThrow(
    expect.objectContaining({
      code: "CONFIG_INVALID",
      message: "toolrig.config.json: engine must be a non-empty string; got 1.",
    }),
  );
});

test("a set that extends another has its options, checks, defaults and aliases", () => {
  interface More extends Omit<Options, "backoff"> {
    onEnd?: () => void;
  }
  const more = declareOptions("Plan", {
    ...omitOptions(options, "backoff"),
    onEnd: callback(),
  } satisfies OptionTable<More>);
  expect(more.names).toEqual(["engine", "maxToolIterations", "mode", "timeout", "tags", "onEnd"]);
  expect(() => more.check({ engine: "e", maxSteps: 3 })).toThrow(
    'Unknown option "maxSteps" for Plan. Did you mean "maxToolIterations"?',
  );
  expect(() => more.check({ engine: "e", backoff: {} })).toThrow('Unknown option "backoff" for Plan');
  expect(Object.keys(pickOptions(options, "mode"))).toEqual(["mode"]);
});

test("rows describe every option for the reference", () => {
  const rows = declareOptions("Row", {
    attempts: count(1, { default: 3, aliases: ["retries"] }),
    loud: flag(),
  }).rows();
  expect(rows).toEqual([
    {
      name: "attempts",
      kind: "count",
      allowed: "a whole number of at least 1",
      required: false,
      default: 3,
      aliases: ["retries"],
    },
    { name: "loud", kind: "flag", allowed: "true or false", required: false, aliases: [] },
  ]);
});
