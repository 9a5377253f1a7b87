import type { ArtifactStore } from "@toolrig/core/kit";
import type { FileChange, Side } from "./file-changes.ts";
import { unifiedDiff } from "./unified-diff.ts";

/** Beyond this, a file is only said to differ. */
const MAX_CHARACTERS = 2_000_000;

/** Changes of files as a patch, in the unified format. What cannot be shown is said in a line that tools skip. */
export async function patchOf(changes: readonly FileChange[], artifacts: ArtifactStore): Promise<string> {
  const parts: string[] = [];
  for (const change of changes) parts.push(await patchOfOne(change, artifacts));
  return parts.join("");
}

async function patchOfOne(change: FileChange, artifacts: ArtifactStore): Promise<string> {
  const { path, movedFrom = path } = change;
  if (change.change === "folder") return `# ${path}: folder created\n`;
  const note = change.change === "moved" ? `rename from ${movedFrom}\nrename to ${path}\n` : "";
  const before = await sideText(change.before, artifacts);
  const after = await sideText(change.after, artifacts);
  const problem = before.problem ?? after.problem;
  if (problem !== undefined) return `${note}# ${path}: ${change.change}; ${problem}\n`;
  return note + unifiedDiff({ path: movedFrom, text: before.text }, { path, text: after.text });
}

async function sideText(side: Side, artifacts: ArtifactStore): Promise<{ text?: string; problem?: string }> {
  if (side.state === "absent") return {};
  if (side.state === "not-kept") return { problem: "its content was not kept" };
  const found = await artifacts.read(side.id, 0, MAX_CHARACTERS);
  if (found === undefined) return { problem: "its content is no longer kept" };
  if (found.length > MAX_CHARACTERS) return { problem: `${found.length} characters, too many to compare` };
  return found.text.includes("\0") ? { problem: "not text" } : { text: found.text };
}
