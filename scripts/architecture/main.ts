/**
 * `npm run architecture`: prints the size of every room, door and package. Fails when a package or a room imports against the order, a
 * door has grown past its limit, or a package has too many non-null assertions. With --check it prints the problems alone.
 */
import { APART, DOORS, MAY_ASK, maxAssertionsIn, ROOMS, SELF_CONTAINED, STANDS_ON } from "./plan.ts";
import { countAssertions, isTest, namesOf, readSources, type Source } from "./read.ts";

const sources = readSources();
const problems = [
  ...sources.flatMap(wrongImports),
  ...sources.flatMap(wrongPackages),
  ...hiddenAssertions(),
  ...bareQuestions(),
  ...unplanned(),
  ...wideDoors(),
];
const assertions = countAssertions();

function orderOf({ package: name }: Source): readonly string[] {
  return ROOMS[name] ?? [];
}

/** Doors are opened by everyone else: the order does not hold for them. */
function isDoor(file: string): boolean {
  return DOORS.some((door) => door.file === file);
}

/** A contract of both sides of a door is one file: those inside import it as well. */
function isContract(file: string): boolean {
  return DOORS.some((door) => door.file === file && door.isContract === true);
}

function wrongImports(source: Source): string[] {
  if (isDoor(source.file)) return [];
  const order = orderOf(source);
  const own = order.indexOf(source.room);
  return source.imports.flatMap((target) => {
    if (!target.startsWith(`packages/${source.package}/src/`))
      return [`${source.file} imports ${target}: a package is entered through its doors.`];
    if (isTest(target)) return [`${source.file} imports ${target}: sources do not know their tests.`];
    if (isDoor(target) && !isContract(target))
      return [`${source.file} imports ${target}: doors are for those outside.`];
    const { room } = sources.find(({ file }) => file === target) ?? source;
    if (order.indexOf(room) > own)
      return [`${source.file} imports ${target}: ${room} comes after ${source.room || "what has no room"}.`];
    const phase = APART.find((folder) => source.file.startsWith(folder));
    const other = APART.find((folder) => target.startsWith(folder));
    return phase !== undefined && other !== undefined && phase !== other
      ? [`${source.file} imports ${target}: the phases of the pipeline know nothing of each other.`]
      : [];
  });
}

/** The rule for packages. It holds for doors, too: what a door passes on is installed with its package. */
function wrongPackages({ file, package: name, modules }: Source): string[] {
  const allowed = STANDS_ON[name] ?? [];
  return modules.flatMap((module) => {
    const sibling = packageOf(module);
    if (sibling === name) return [];
    if (sibling === undefined)
      return SELF_CONTAINED.includes(name)
        ? [`${file} imports ${module}: ${name} is used alone and imports nothing from npm or Node.`]
        : [];
    return allowed.includes(sibling)
      ? []
      : [`${file} imports ${module}: ${name} stands on ${allowed.join(", ") || "no other package"}.`];
  });
}

/** The folder of the package that a module is of, undefined for what is not of this workspace. */
function packageOf(module: string): string | undefined {
  return module === "toolrig" ? "cli" : /^@toolrig\/([^/]+)/.exec(module)?.[1];
}

function hiddenAssertions(): string[] {
  return sources.flatMap(({ file, hidesAssertions }) =>
    hidesAssertions ? [`${file} tells the linter not to count a non-null assertion.`] : [],
  );
}

function bareQuestions(): string[] {
  return sources.flatMap(({ file, asks, hasFinally }) => {
    if (!asks) return [];
    if (!MAY_ASK.includes(file))
      return [
        `${file} calls a tool context's ask, which never settles once the call is parked: use askInAttempt.`,
      ];
    return hasFinally && !file.endsWith("/ask-in-attempt.ts")
      ? [`${file} asks and has a finally: what is behind it is never released once the call is parked.`]
      : [];
  });
}

function unplanned(): string[] {
  const placed = sources.filter(({ file }) => !isDoor(file));
  const rooms = new Map(placed.map((source) => [`${source.package}/${source.room}`, source]));
  return [...rooms.values()].flatMap((source) =>
    orderOf(source).includes(source.room)
      ? []
      : [`packages/${source.package}/src/${source.room} has no place in scripts/architecture/plan.ts.`],
  );
}

function wideDoors(): string[] {
  return DOORS.flatMap(({ name, file, most }) => {
    const { size } = namesOf(file);
    return size > most ? [`${name} gives out ${size} names; the door is ${most} wide.`] : [];
  });
}

function linesOf(list: readonly Source[]): number {
  return list.reduce((sum, { lines }) => sum + lines, 0);
}

function table(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const line = (cells: readonly (string | number)[]) => `| ${cells.join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}

function figures(): string {
  const rooms = Object.entries(ROOMS).flatMap(([name, order]) =>
    order.map((room) => {
      const own = sources.filter((source) => source.package === name && source.room === room);
      const longest = Math.max(0, ...own.map(({ lines }) => lines));
      return [`${name}/${room === "" ? "*" : room}`, own.length, linesOf(own), longest];
    }),
  );
  const doors = DOORS.map(({ name, file, most }) => [`\`${name}\``, namesOf(file).size, most]);
  const packages = Object.keys(ROOMS).map((name) => {
    const own = sources.filter((source) => source.package === name);
    const found = assertions.get(name) ?? 0;
    const share = (found / linesOf(own)) * 1_000;
    if (share > maxAssertionsIn(name))
      problems.push(`packages/${name} has ${share.toFixed(1)} non-null assertions in 1,000 lines.`);
    return [name, own.length, linesOf(own), found, share.toFixed(1)];
  });
  return [
    table(["room", "files", "lines", "longest"], rooms),
    table(["door", "names", "at most"], doors),
    table(["package", "files", "lines", "non-null assertions", "in 1,000 lines"], packages),
  ].join("\n\n");
}

const tables = figures();
if (!process.argv.includes("--check")) console.log(`${tables}\n`);
for (const problem of problems) console.error(problem);
console.log(`${sources.length} files, ${linesOf(sources)} lines, ${problems.length} problems`);
process.exitCode = problems.length === 0 ? 0 : 1;
