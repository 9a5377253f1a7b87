/** The words of a name or a text, in lower case: `read_file`, `readFile` and "Read a file." have the same ones but for "a". */
export function wordsIn(text: string): string[] {
  return text
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "");
}
