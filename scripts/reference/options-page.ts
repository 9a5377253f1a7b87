import { declaredOptions } from "@toolrig/core/kit";

const ABOUT = `Every option, from the declarations that check it. An unknown name is refused with the nearest one, and so is a name of the last
column: those are what other frameworks or earlier versions call it. Durations are milliseconds as a number, or text such as \`"30s"\`.`;

/** One table for each function, class or object that has options. Knows those whose modules have been imported. */
export function optionsPage(): string {
  const sets = new Map(declaredOptions().map((set) => [set.owner, set] as const));
  const sections = [...sets.values()]
    .sort((a, b) => a.owner.localeCompare(b.owner, "en"))
    .map((set) => {
      const rows = set.rows().map(({ name, allowed, required, aliases, ...given }) => {
        const usual = required
          ? "required"
          : "default" in given
            ? `\`${given.default === Number.POSITIVE_INFINITY ? "Infinity" : JSON.stringify(given.default)}\``
            : "";
        const others = aliases.map((alias) => `\`${alias}\``).join(", ");
        return `| \`${name}\` | ${cell(allowed)} | ${cell(usual)} | ${others} |`;
      });
      return [
        `## ${set.owner}`,
        ["| option | value | default | not |", "|---|---|---|---|", ...rows].join("\n"),
      ].join("\n\n");
    });
  return `${["# Options", ABOUT, ...sections].join("\n\n")}\n`;
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|").replaceAll("<", "&lt;").replaceAll("{", "&#123;");
}
