import { execFileSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { toolrig } from "../../test/toolrig-process.ts";

/** What bash offers for a line whose last word is being typed. */
function completions(script: string, words: readonly string[]): string[] {
  const line = `COMP_WORDS=(${words.map((word) => `'${word}'`).join(" ")}); COMP_CWORD=${words.length - 1}`;
  const program = `toolrig() { printf 'search_docs\\tx\\nsend_mail\\tx\\n'; }\n${script}\n${line}; _toolrig; printf '%s\\n' "\${COMPREPLY[@]}"`;
  return execFileSync("bash", ["--norc", "-c", program], { encoding: "utf8" }).trim().split("\n");
}

describe.concurrent("toolrig completion", () => {
  test("completes commands, options and tool names in bash", async () => {
    const { code, stdout } = await toolrig(["completion", "bash"]);
    expect(code).toBe(0);
    expect(completions(stdout, ["toolrig", "ex"])).toEqual(["extract"]);
    expect(completions(stdout, ["toolrig", "extract", "--fa"])).toEqual(["--family"]);
    expect(completions(stdout, ["toolrig", "approvals", "ap"])).toEqual(["approve"]);
    expect(completions(stdout, ["toolrig", "call", "se"])).toEqual(["search_docs", "send_mail"]);
  });

  test.each(["zsh", "fish"])("prints a script for %s that names every command", async (shell) => {
    const [script, help] = await Promise.all([
      toolrig(["completion", shell, "--json"]),
      toolrig(["help", "--json"]),
    ]);
    const { script: text } = JSON.parse(script.stdout);
    for (const { name } of JSON.parse(help.stdout)) expect(text).toContain(name);
  });
});
