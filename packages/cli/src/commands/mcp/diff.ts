import { changeLines, changesOf, reviewOf, type ToolChange } from "@toolrig/mcp/client";
import { lookAtServers, serverNamed } from "../../config/mcp-store.ts";
import { EXIT_FAILED } from "../../shell/exit-code.ts";
import { NotFound } from "../../shell/not-found.ts";
import { note, paint, printJson, printStyled, type Tone, visible } from "../../terminal/output.ts";
import { type McpAction, namedServer } from "./action.ts";

/** Shows what tools in quarantine would change, as the server listed them last. Connects to nothing. */
export function diff(action: McpAction): Promise<number> {
  const name = namedServer(action, "diff");
  const [tool] = action.rest;
  return lookAtServers(action.values, ({ servers }) => {
    const all = changesOf(serverNamed(servers, name).kept);
    const changes = all.filter((each) => tool === undefined || each.name === tool);
    if (tool !== undefined && changes.length === 0)
      throw new NotFound(`Nothing of ${name} called "${tool}" waits to be accepted.`);
    const review = reviewOf(changes);
    if (action.values.json === true)
      printJson({ name, review, changes: changes.map((each) => ({ ...each, lines: changeLines(each) })) });
    else for (const each of changes) printStyled(linesOf(each));
    if (changes.length === 0)
      note(`Nothing of ${name} waits. "toolrig mcp test ${name}" asks it anew.`, "dim");
    else note(`To accept this and nothing else: ${acceptance(name, tool, review)}`, "dim");
    return changes.length === 0 ? 0 : EXIT_FAILED;
  });
}

function acceptance(name: string, tool: string | undefined, review: string): string {
  return [
    "toolrig mcp accept",
    name,
    ...(tool === undefined ? [] : [JSON.stringify(tool)]),
    "--reviewed",
    review,
  ].join(" ");
}

function linesOf(change: ToolChange): string[] {
  const head = paint(visible(`${change.reason} ${change.name}`.replaceAll("\n", " ")), "strong");
  return [head, ...changeLines(change).map((line) => paint(visible(`  ${line}`), toneOf(line)))];
}

function toneOf(line: string): Tone {
  return line.startsWith("+ ")
    ? "good"
    : line.startsWith("- ")
      ? "bad"
      : line.startsWith("  ")
        ? "plain"
        : "dim";
}
