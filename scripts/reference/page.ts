import { DOORS, type Door } from "../architecture/plan.ts";
import { declarationsOf, type Exported, exportedBy } from "./read.ts";

const CHAPTERS: readonly [Exported["kind"], string][] = [
  ["function", "Functions"],
  ["class", "Classes"],
  ["value", "Values"],
  ["type", "Types"],
];

export function fileOf({ name }: Pick<Door, "name">): string {
  return `${name.replace("@toolrig/", "").replaceAll("/", "-")}.md`;
}

/**
 * The page of a door: everything it gives out, by what it is, each with its comment and its declaration; then what these name
 * and no door gives out.
 */
export function pageOf(door: Door, exported: readonly Exported[], named: readonly Exported[]): string {
  const own = exported.filter((each) => each.door === undefined);
  const chapters = CHAPTERS.flatMap(([kind, title]) => {
    const names = own.filter((each) => each.kind === kind);
    return names.length === 0 ? [] : [`## ${title}`, ...names.map(entryOf)];
  });
  const also = named.length === 0 ? [] : ["## Named by these", ALSO, ...named.map(entryOf)];
  const deprecated = door.deprecated === undefined ? [] : [`**Deprecated.** ${door.deprecated}`];
  return `${[`# ${door.name}`, ...deprecated, NOTE, ...passedOn(exported), ...chapters, ...also].join("\n\n")}\n`;
}

const NOTE =
  'Made from the types and their comments by `npm run reference`. Durations are milliseconds as a number, or text such as `"30s"`.';

const ALSO = "Not to be imported, but part of what is.";

function passedOn(exported: readonly Exported[]): string[] {
  const doors = Map.groupBy(
    exported.filter((each) => each.door !== undefined),
    ({ door = "" }) => door,
  );
  return [...doors].map(([door, names]) => {
    const others = DOORS.filter(({ name }) => name === door).flatMap(({ file }) =>
      exportedBy(declarationsOf(file)),
    );
    if (names.length === others.length)
      return `Everything from [\`${door}\`](${fileOf({ name: door })}): ${names.length} names.`;
    const links = names.map(({ name }) => `[\`${name}\`](${fileOf({ name: door })}#${anchorOf(name)})`);
    return `From [\`${door}\`](${fileOf({ name: door })}): ${links.join(", ")}.`;
  });
}

function entryOf({ name, declarations, comment }: Exported): string {
  const [prose = "", ...examples] = comment.split(/^@example[ \t]*\n/m);
  const code = declarations.map((each) => ["```typescript", each, "```"].join("\n"));
  return [`### ${name}`, prose.trim(), ...code, ...examples.map((each) => each.trim())]
    .filter((part) => part !== "")
    .join("\n\n");
}

function anchorOf(name: string): string {
  return name.toLowerCase();
}
