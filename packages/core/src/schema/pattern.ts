import { RE2JS } from "re2js";
import { type NativeCost, nativeCost } from "./native-cost.ts";
import { re2Source } from "./re2-source.ts";
import { invalid } from "./reading.ts";
import { TooComplex } from "./too-complex.ts";

/** A compiled pattern. Takes time linear in the length of the text, unless a trusted schema insisted otherwise. */
export interface Matcher {
  /** Throws `TooComplex` for a text that is too long to tell: "no match" would be a yes inside `not`. */
  readonly test: (text: string) => boolean;
  /** Steps of work that testing a text of this length may take, in the unit in which evaluation is limited. */
  work(length: number): number;
  readonly native: boolean;
}

/** About a quarter of a second in the worst case. */
const MAX_WORK = 200_000;
/** Instructions of an RE2 program times characters that count as one step. */
const RE2_STEP = 100;
/** Steps of the native engine in one of ours. */
const NATIVE_STEP = 64;

/**
 * The matcher for a schema's regular expression. The native engine backtracks, so it only runs patterns that are
 * shown to be linear; others run on RE2. What RE2 cannot express (look-around, back-references) is refused in an
 * untrusted schema, and runs natively in a trusted one.
 */
export function matcherFor(source: string, trusted: boolean, at: string): Matcher {
  const native = nativeExpression(source);
  const cost = native === undefined ? undefined : nativeCost(source);
  if (native !== undefined && cost !== undefined) return nativeMatcher(source, native, cost);
  if (native === undefined && trusted)
    throw invalid(at, `holds an invalid regular expression: ${excerpt(source)}`);
  const linear = re2Matcher(source, native !== undefined);
  if (linear !== undefined) return linear;
  if (native !== undefined && trusted)
    return { native: true, test: (text) => native.test(text), work: (length) => length / NATIVE_STEP };
  throw invalid(
    at,
    `holds a regular expression that cannot be run in linear time (look-around, back-reference, a repeat beyond ` +
      `1000 or a syntax error): ${excerpt(source)}`,
  );
}

function nativeExpression(source: string): RegExp | undefined {
  for (const flags of ["u", ""]) {
    try {
      return new RegExp(source, flags);
    } catch {}
  }
  return undefined;
}

/** What would take the native engine too long runs on RE2, whose worst case is better and whose ordinary case is not. */
function nativeMatcher(source: string, expression: RegExp, { fixed, perCharacter }: NativeCost): Matcher {
  const own = (length: number) => (fixed + perCharacter * length) / NATIVE_STEP;
  const native = bounded(expression, true, own);
  let re2: Matcher | undefined;
  const engineFor = (length: number): Matcher => {
    if (own(length) <= MAX_WORK) return native;
    re2 ??= re2Matcher(source, true) ?? native;
    return re2;
  };
  return {
    native: true,
    test: (text) => engineFor(text.length).test(text),
    work: (length) => engineFor(length).work(length),
  };
}

/** A pattern that only Python knows is read as RE2 reads it, any other as JavaScript does. */
function re2Matcher(source: string, isJavaScript: boolean): Matcher | undefined {
  try {
    const compiled = RE2JS.compile(isJavaScript ? re2Source(source) : RE2JS.translateRegExp(source));
    const size = compiled.programSize();
    return bounded(compiled, false, (length) => (length * size) / RE2_STEP);
  } catch {
    return undefined;
  }
}

function bounded(
  expression: { test(text: string): boolean },
  native: boolean,
  work: Matcher["work"],
): Matcher {
  const test = (text: string) => {
    if (work(text.length) > MAX_WORK)
      throw new TooComplex("a text is too long to be checked against its pattern");
    return expression.test(text);
  };
  return { native, test, work };
}

function excerpt(source: string): string {
  return JSON.stringify(source.length > 80 ? `${source.slice(0, 77)}...` : source);
}
