import { fullFormats } from "ajv-formats/dist/formats.js";

const MAX_URL = 4_096;
const { url } = fullFormats;

/**
 * The formats that are checked; others are ignored. All take time linear in the text, except `url`, whose expression
 * backtracks: a longer text than any URL in use is refused without running it.
 */
export const formats = {
  ...fullFormats,
  url: (text: string) => text.length <= MAX_URL && url instanceof RegExp && url.test(text),
};
