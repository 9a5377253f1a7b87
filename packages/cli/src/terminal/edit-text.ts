import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ToolrigError } from "@toolrig/core";

/** The text as somebody left it in their editor. Throws `OPTION_INVALID` when the editor cannot be started, or fails. */
export async function editText(text: string, name: string): Promise<string> {
  const editor = process.env.VISUAL || process.env.EDITOR || "vi";
  const folder = mkdtempSync(join(tmpdir(), "toolrig-"));
  const file = join(folder, name);
  try {
    writeFileSync(file, text, { mode: 0o600 });
    // What names an editor is often a command with options.
    const child = spawn("sh", ["-c", `${editor} "$1"`, "sh", file], { stdio: "inherit" });
    const code = await new Promise<number | null>((resolve) => {
      child.once("error", () => resolve(127));
      child.once("close", resolve);
    });
    if (code !== 0)
      throw new ToolrigError(
        "OPTION_INVALID",
        `The editor (${editor}) ended with ${code}: nothing was changed. EDITOR names another.`,
      );
    return readFileSync(file, "utf8");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
