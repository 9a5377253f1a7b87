import { isBusy } from "./circumstances.ts";
import type { Figures } from "./figures.ts";

/** What a process said before it died can be long. */
const REASON_LENGTH = 500;
const SUMMARY = "summary of goals";

/**
 * The page of benchmarks with the figures of one of them: in its section, and its goals in the summary. Nothing else changes. A
 * section that has no place for figures gets one at its end; a benchmark that has no section, one at the end of the page.
 */
export function withFigures(page: string, figures: Figures, order: readonly string[]): string {
  const { name } = figures;
  const whole = new RegExp(`^## ${name}$`, "m").test(page) ? page : `${page.trimEnd()}\n\n## ${name}\n`;
  const section = replaceBlock(whole, `figures of ${name}`, sectionOf(figures), `## ${name}`);
  return replaceBlock(section, SUMMARY, summaryWith(blockIn(section, SUMMARY), figures, order), "## Results");
}

function blockIn(page: string, name: string): string {
  const [, block = ""] = new RegExp(`<!-- ${name} -->\n([\\s\\S]*?)<!-- end of ${name} -->`).exec(page) ?? [];
  return block.trim();
}

function replaceBlock(page: string, name: string, text: string, heading: string): string {
  const block = `<!-- ${name} -->\n\n${text}\n\n<!-- end of ${name} -->`;
  const present = new RegExp(`<!-- ${name} -->\n[\\s\\S]*?<!-- end of ${name} -->`);
  if (present.test(page)) return page.replace(present, () => block);
  const start = page.search(new RegExp(`^${heading}$`, "m"));
  if (start === -1) throw new Error(`The page of benchmarks has no heading "${heading}".`);
  const next = page.slice(start + heading.length).search(/^## /m);
  const end = next === -1 ? page.length : start + heading.length + next;
  return `${page.slice(0, end).trimEnd()}\n\n${block}\n${next === -1 ? "" : `\n${page.slice(end)}`}`;
}

function sectionOf(figures: Figures): string {
  const { circumstances, tables, failed } = figures;
  const { date, machine, node, commit, rounds, load, versions } = circumstances;
  const compared = Object.entries(versions).map(
    ([name, version]) => `${name} ${version ?? "(not installed)"}`,
  );
  const facts = [
    `Measured on ${date}: ${machine}`,
    `Node ${node}`,
    ...(commit === "" ? [] : [`commit ${commit}`]),
    `${rounds} ${rounds === 1 ? "round" : "rounds"}`,
    `load average ${load.map((each) => each.toFixed(1)).join(" to ")}`,
  ];
  const lines = [
    `${facts.join("; ")}.`,
    ...(compared.length === 0 ? [] : [`Compared with ${compared.join(", ")}.`]),
  ];
  if (isBusy(circumstances)) lines.push(BUSY);
  if (failed !== undefined)
    return [lines.join(" "), `**MISSED**: it did not finish. ${cell(failed).slice(0, REASON_LENGTH)}`].join(
      "\n\n",
    );
  return [lines.join(" "), ...tables.filter((table) => table.figures.length > 0).map(tableOf)].join("\n\n");
}

const BUSY =
  "**The machine was busy with other things**: more wanted to run than it has cores, so these figures say little.";

function tableOf({ title, figures }: Figures["tables"][number]): string {
  return [
    row([title, "median", "range", "goal", ""]),
    "|---|---|---|---|---|",
    ...figures.map(({ label, median, range, goal, verdict }) =>
      row([label.trim(), median, range, goal, shown(verdict)]),
    ),
  ].join("\n");
}

const HEAD = ["| benchmark | what | goal | median | range | | on |", "|---|---|---|---|---|---|---|"];

/** The rows of the others stay as they are; a row belongs to the benchmark that its first cell links to. */
function summaryWith(before: string, figures: Figures, order: readonly string[]): string {
  const kept = before.split("\n").filter((line) => line.startsWith("| [") && nameIn(line) !== figures.name);
  const place = (line: string) => {
    const index = order.indexOf(nameIn(line));
    return index === -1 ? order.length : index;
  };
  const rows = [...kept, ...goalsOf(figures)].sort((a, b) => place(a) - place(b));
  return [...HEAD, ...rows].join("\n");
}

function nameIn(line: string): string {
  return /^\| \[([\w-]+)\]/.exec(line)?.[1] ?? "";
}

function goalsOf({ name, circumstances, tables, failed }: Figures): string[] {
  const link = `[${name}](#${name})`;
  const on = `${circumstances.date}${isBusy(circumstances) ? ", busy" : ""}`;
  if (failed !== undefined) return [row([link, "did not finish", "", "", "", shown("MISSED"), on])];
  return tables.flatMap(({ title, figures }) =>
    figures
      .filter(({ goal }) => goal !== "")
      .map(({ label, goal, median, range, verdict }) =>
        row([link, `${title}: ${label.trim()}`, goal, median, range, shown(verdict), on]),
      ),
  );
}

function shown(verdict: string): string {
  return verdict === "MISSED" ? "**MISSED**" : verdict;
}

function row(cells: readonly string[]): string {
  return `| ${cells.map(cell).join(" | ")} |`;
}

/** One line, without what would end a cell or a comment. */
function cell(text: string): string {
  return text.replaceAll(/\s+/g, " ").replaceAll("|", "\\|").replaceAll("<!--", "&lt;!--").trim();
}
