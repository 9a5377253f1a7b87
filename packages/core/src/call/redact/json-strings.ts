/**
 * `text` with each string of JSON in it that has escapes replaced by what `clean` makes of what it says: a line, a tab or a quote
 * inside of it is none before it is read. Strings that stay the same keep their spelling. A string ends at its quote, with the line
 * or, cut off, with the text.
 */
export function cleanStrings(text: string, clean: (text: string) => string): string {
  let done = "";
  let from = 0;
  for (let open = text.indexOf('"'); open !== -1; ) {
    const { end, isEscaped } = endOfString(text, open + 1);
    const said = isEscaped ? read(text.slice(open + 1, end)) : undefined;
    const cleaned = said === undefined ? undefined : clean(said);
    if (cleaned !== undefined && cleaned !== said) {
      done += text.slice(from, open + 1) + JSON.stringify(cleaned).slice(1, -1);
      from = end;
    }
    open = text.indexOf('"', end + 1);
  }
  return from === 0 ? text : done + text.slice(from);
}

function endOfString(text: string, start: number): { end: number; isEscaped: boolean } {
  let isEscaped = false;
  for (let index = start; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code === QUOTE || code === NEWLINE) return { end: index, isEscaped };
    if (code !== BACKSLASH) continue;
    isEscaped = true;
    index += 1;
  }
  return { end: text.length, isEscaped };
}

const QUOTE = 34;
const NEWLINE = 10;
const BACKSLASH = 92;

function read(string: string): string | undefined {
  try {
    return JSON.parse(`"${string}"`) as string;
  } catch {
    return undefined;
  }
}
