/** Semantic versions and the ranges that callers ask for: `*`, `1`, `1.2`, `1.x`, `1.2.3`, `^1.2`, `~1.2`, `>=1.2`. */

interface Version {
  numbers: [number, number, number];
  prerelease: string[];
}

const VERSION = /^(\d{1,9})\.(\d{1,9})\.(\d{1,9})(?:-([0-9A-Za-z.-]{1,64}))?(?:\+[0-9A-Za-z.-]{1,64})?$/;
const RANGE =
  /^(\^|~|>=|=)?v?(\d{1,9})(?:\.(\d{1,9}|[x*]))?(?:\.(\d{1,9}|[x*]))?(?:-([0-9A-Za-z.-]{1,64}))?$/;

export function isVersion(text: unknown): text is string {
  return typeof text === "string" && VERSION.test(text);
}

export function isRange(text: unknown): text is string {
  return typeof text === "string" && (text === "*" || text === "" || RANGE.test(text));
}

/** Orders versions, newest first. No version at all is the oldest. */
export function newestFirst(a: string | undefined, b: string | undefined): number {
  if (a === undefined || b === undefined) return a === b ? 0 : a === undefined ? 1 : -1;
  return compare(parse(b), parse(a));
}

/** Whether a version is in a range. Pre-releases count only for a range that names one of the same numbers. */
export function satisfies(version: string | undefined, range: string): boolean {
  if (range === "*" || range === "") return true;
  const match = RANGE.exec(range);
  if (match === null || version === undefined) return false;
  const [, operator = "", major, minor, patch, prerelease] = match;
  const given = [major, minor, patch].map((part) =>
    part === undefined || /[x*]/.test(part) ? undefined : Number(part),
  );
  const floor: Version = {
    numbers: [given[0]!, given[1] ?? 0, given[2] ?? 0],
    prerelease: prerelease === undefined ? [] : prerelease.split("."),
  };
  const candidate = parse(version);
  if (candidate.prerelease.length > 0) {
    const named = floor.prerelease.length > 0 && floor.numbers.join() === candidate.numbers.join();
    if (!named) return false;
  }
  if (compare(candidate, floor) < 0) return false;
  if (operator === ">=") return true;
  if (prerelease !== undefined && operator !== "^" && operator !== "~")
    return compare(candidate, floor) === 0;
  return fixedParts(operator, given).every(
    (part, index) => part === undefined || part === candidate.numbers[index],
  );
}

/** The leading numbers a version must share with the range. */
function fixedParts(operator: string, given: (number | undefined)[]): (number | undefined)[] {
  const [major, minor, patch] = given;
  if (operator === "~") return [major, minor];
  if (operator !== "^") return given;
  if (major !== 0 || minor === undefined) return [major];
  return minor !== 0 || patch === undefined ? [major, minor] : [major, minor, patch];
}

function parse(text: string): Version {
  const [, major, minor, patch, prerelease] = VERSION.exec(text)!;
  return {
    numbers: [Number(major), Number(minor), Number(patch)],
    prerelease: prerelease === undefined ? [] : prerelease.split("."),
  };
}

function compare(a: Version, b: Version): number {
  for (const index of [0, 1, 2] as const) {
    if (a.numbers[index] !== b.numbers[index]) return a.numbers[index] - b.numbers[index];
  }
  if (a.prerelease.length === 0 || b.prerelease.length === 0)
    return b.prerelease.length - a.prerelease.length;
  return comparePrerelease(a.prerelease, b.prerelease);
}

function comparePrerelease(a: string[], b: string[]): number {
  for (let index = 0; index < Math.max(a.length, b.length); index++) {
    const [left, right] = [a[index], b[index]];
    if (left === undefined || right === undefined) return left === undefined ? -1 : 1;
    if (left === right) continue;
    const [leftIsNumber, rightIsNumber] = [/^\d+$/.test(left), /^\d+$/.test(right)];
    if (leftIsNumber && rightIsNumber) return Number(left) - Number(right);
    if (leftIsNumber !== rightIsNumber) return leftIsNumber ? -1 : 1;
    return left < right ? -1 : 1;
  }
  return 0;
}
