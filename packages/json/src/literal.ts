/** Words of JSON, Python, JavaScript and Ruby that stand for a JSON value. A Map, so that `constructor` is no word. */
const LITERALS = new Map<string, boolean | null>([
  ["true", true],
  ["True", true],
  ["TRUE", true],
  ["false", false],
  ["False", false],
  ["FALSE", false],
  ["null", null],
  ["Null", null],
  ["NULL", null],
  ["None", null],
  ["nil", null],
  ["undefined", null],
  ["NaN", null],
  ["nan", null],
  ["Infinity", null],
  ["-Infinity", null],
  ["+Infinity", null],
]);

const CUT_WORDS = ["true", "false", "null", "True", "False", "None"];

/** The value a whole word stands for; undefined when it is not a literal. */
export function literal(word: string): boolean | null | undefined {
  return LITERALS.get(word);
}

/** The literal that a word cut off by the end of the text began; undefined when it began none. */
export function cutLiteral(word: string): boolean | null | undefined {
  const whole = CUT_WORDS.find((each) => each.startsWith(word));
  return whole === undefined ? undefined : LITERALS.get(whole);
}
