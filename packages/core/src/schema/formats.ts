import { fullFormats } from "ajv-formats/dist/formats.js";
import { TooComplex } from "./too-complex.ts";

const MAX_URL = 4_096;
const { url } = fullFormats;

/**
 * The formats that are checked; others are ignored. All take time linear in the text, except `url`, whose expression
 * backtracks: of a longer text than any URL in use nothing is said.
 */
export const formats = {
  ...fullFormats,
  url: (text: string) => {
    if (text.length > MAX_URL) throw new TooComplex("a text is too long to be checked as a URL");
    return url instanceof RegExp && url.test(text);
  },
};

/** What a format is about: the few that are not about text are about numbers. */
export function formatType(name: string): "string" | "number" {
  const format: unknown = (formats as Record<string, unknown>)[name];
  return typeof format === "object" && format !== null && (format as { type?: unknown }).type === "number"
    ? "number"
    : "string";
}
