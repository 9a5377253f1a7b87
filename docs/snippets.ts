/** Finds the programs in what people read: the TypeScript blocks of pages, and the examples in the comments of sources. */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

export interface Snippet {
  /** Where it stands. */
  readonly title: string;
  /** What an example in a comment is about. */
  readonly name?: string;
  readonly code: string;
  /** What it prints, where it says so: in a `text` block behind it, or behind `//=>` in its own lines. */
  readonly output: string | undefined;
}

const BLOCK = /^```ts\n([\s\S]*?)^```(?:\n\n```text\n([\s\S]*?)^```)?$/gm;
const COMMENT = /\/\*\*([\s\S]*?)\*\/\s*(?:export )?(?:async )?(?:class |function |const )?(\w*)/g;

const DIFF = /^```diff\n([\s\S]*?)^```\n\n```text\n([\s\S]*?)^```$/gm;

/** Pages whose programs need what is not installed with the workspace: they are run where that is. */
export const PEERS_PAGES = [
  ...["openai-agents", "langchain", "mastra", "pi"].map((name) => `docs/beneath/${name}.md`),
  ...["langgraph", "mastra"].map((name) => `docs/guides/from-${name}.md`),
];

/** Pages whose programs ask a model for the weather: they are run where it answers so. */
export const WEATHER_PAGES = ["docs/guides/from-ai-sdk.md"];

/** What people read. The reference is made from the sources, whose examples are run where they stand. */
export function pagesOf(root: string): string[] {
  return globSync(["*.md", "docs/**/*.md", "packages/*/README.md", "examples/README.md", "site/home.md"], {
    cwd: root,
  })
    .filter((page) => !page.startsWith("docs/reference/"))
    .sort();
}

export function snippetsOf(root: string): Snippet[] {
  const pages = pagesOf(root).filter((page) => ![...PEERS_PAGES, ...WEATHER_PAGES].includes(page));
  const sources = globSync("packages/*/src/**/*.ts", { cwd: root }).sort();
  const read = (file: string) => readFileSync(join(root, file), "utf8");
  return [
    ...pages.flatMap((page) =>
      blocksIn(read(page)).map((block, index) => ({ title: `${page} #${index + 1}`, ...block })),
    ),
    ...sources.flatMap((file) => examplesIn(file, read(file))),
  ];
}

export function blocksIn(text: string): Pick<Snippet, "code" | "output">[] {
  return Array.from(text.matchAll(BLOCK), ([, code = "", printed]) => ({
    code,
    output: printed ?? promised(code),
  }));
}

function promised(code: string): string | undefined {
  const lines = Array.from(code.matchAll(/\/\/=> (.*)$/gm), ([, line = ""]) => line);
  return lines.length === 0 ? undefined : lines.join("\n");
}

/** Throws for an example without a block: nobody would notice that it is never run. */
function examplesIn(file: string, source: string): Snippet[] {
  return Array.from(source.matchAll(COMMENT)).flatMap(([, comment = "", name = ""]) => {
    const [, ...examples] = comment.replaceAll(/^ *\* ?/gm, "").split(/^@example$/m);
    return examples.flatMap((example) => {
      const blocks = blocksIn(example);
      if (blocks.length === 0) throw new Error(`${file}: the @example of ${name} has no ts block.`);
      return blocks.map((block) => ({ title: `${file} ${name}`, name, ...block }));
    });
  });
}

/** The programs of a page that shows a change: before it, after it, and all others. */
export function programsOf(page: string): Record<string, Pick<Snippet, "code" | "output">> {
  const shown = blocksIn(page).map((block, at) => [`#${at + 1}`, block] as const);
  const changed = page.match(DIFF) === null ? {} : { before: sideOf(page, "-"), after: sideOf(page, "+") };
  return { ...changed, ...Object.fromEntries(shown) };
}

/** The program of a page that shows a change, before it ("-") or after it ("+"). */
export function sideOf(page: string, sign: "-" | "+"): Pick<Snippet, "code" | "output"> {
  const [[, lines = "", output] = []] = page.matchAll(DIFF);
  const kept = lines.split("\n").filter((line) => !line.startsWith(sign === "-" ? "+" : "-"));
  return { code: kept.map((line) => line.slice(1)).join("\n"), output };
}
