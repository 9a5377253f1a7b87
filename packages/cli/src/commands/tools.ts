import type { AnyTool, Safety, ToolDefinition } from "@toolrig/core";
import { command } from "../command.ts";
import { CONFIG_OPTION, openRig } from "../open-rig.ts";
import { note, paint, printJson, printStyled, visible } from "../output.ts";
import type { Rig } from "../rig.ts";

interface Listed extends ToolDefinition {
  type: string;
  provider: string;
  safety: Safety;
  available: boolean;
  reason?: string;
}

export const tools = command({
  name: "tools",
  summary: "List the tools, and which are available",
  positionals: [],
  options: CONFIG_OPTION,
  details: [
    "Piped, each tool is a line of tab-separated fields: name, version, provider, safety, yes or no, reason.",
    "With --json, a list of definitions that `toolrig extract --tools` reads.",
  ].join("\n"),
  examples: ["toolrig tools", "toolrig tools --json > tools.json"],

  async run({ values }) {
    const rig = await openRig(values.config);
    const listed = rig.tools.tools().map((tool) => describe(tool, rig));
    if (listed.length === 0) note("There are no tools.", "dim");
    if (values.json === true) printJson(listed);
    else if (process.stdout.isTTY) printStyled(table(listed));
    else printStyled(listed.map((tool) => cells(tool).join("\t")));
    await rig.close();
    return 0;
  },
});

function describe(tool: AnyTool, rig: Rig): Listed {
  const available = tool.available();
  return {
    ...tool.definition,
    type: tool.type,
    provider: rig.tools.providerOf?.(tool) ?? "unknown",
    safety: tool.safety,
    available: available === true,
    ...(available !== true && { reason: available }),
  };
}

function cells({ name, version, provider, safety, available, reason }: Listed): string[] {
  const declared = `${safety.sideEffects}${safety.idempotent ? ", idempotent" : ""}`;
  const row = [name, version ?? "-", provider, declared, available ? "yes" : "no", reason ?? ""];
  return row.map((cell) => visible(cell).replace(/[\t\n]/g, " "));
}

function table(listed: readonly Listed[]): string[] {
  const head = ["NAME", "VERSION", "PROVIDER", "SAFETY", "AVAILABLE", ""];
  const rows = listed.map(cells);
  const widths = head.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => row[column]!.length)),
  );
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join("  ")
      .trimEnd();
  return [
    paint(line(head), "dim"),
    ...rows.map((row, index) => paint(line(row), listed[index]!.available ? "plain" : "warn")),
  ];
}
