import { validation } from "@toolrig/core";

/** What Linux takes. Longer ones are told here, in words, and never reach the system. */
const MAX_PATH = 4_096;
const MAX_NAME = 255;

/** Throws a failure for text that is no path, or that means another place to a reader than to the system. */
export function checkPathText(path: string): void {
  const problem = problemIn(path);
  if (problem !== undefined) throw validation(`${shownPath(path)} ${problem}.`);
}

/** Whether text is a path that tools can be asked for. */
export function isPathText(path: string): boolean {
  return problemIn(path) === undefined;
}

function problemIn(path: string): string | undefined {
  if (path.trim() === "") return 'is empty; give a path relative to the root, "." for the root itself';
  if (path.includes("\0")) return "holds a NUL character, which no file name can";
  if (/\p{Cc}/u.test(path)) return "holds control characters";
  if (!path.isWellFormed()) return "holds half a character";
  if (Buffer.byteLength(path) > MAX_PATH) return `is longer than ${MAX_PATH} bytes`;
  if (path.split("/").some((name) => Buffer.byteLength(name) > MAX_NAME))
    return `holds a name longer than ${MAX_NAME} bytes`;
  if (/^~[\w.-]*(?:\/|$)/.test(path))
    return `begins with "~", which stands for no home folder here; "./${path.slice(0, 20)}" is a file of that name`;
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(path)) return "is a URL; give a path";
  if (process.platform !== "win32" && path.includes("\\"))
    return String.raw`holds "\"; folders are divided by "/"`;
  return undefined;
}

/** Characters that are drawn like "/" or "\\", beyond those that Unicode itself calls the same. */
const LOOKS_LIKE_SLASH = /[\u2044\u2215\u2216\u29f5\u29f8\u29f9]/;

/** Throws a failure for a new name that people would read as another one. Files that have such names can be read. */
export function checkNewName(name: string): void {
  if (/[\p{Default_Ignorable_Code_Point}\p{Bidi_Control}]/u.test(name))
    throw validation(`${shownPath(name)} holds invisible characters: no file is made under such a name.`);
  const plain = name.normalize("NFKC");
  if (LOOKS_LIKE_SLASH.test(name) || (plain !== name && (/[/\\]/.test(plain) || /^\.{1,3}$/.test(plain))))
    throw validation(`${shownPath(name)} holds characters that only look like "/" or ".".`);
}

/** For messages: on one line, with nothing that could hide in it, and not endless. */
export function shownPath(path: string): string {
  const text = path.length > 200 ? `${path.slice(0, 200)}…` : path;
  return JSON.stringify(text).replaceAll(
    /[\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\p{Cc}]/gu,
    (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`,
  );
}
