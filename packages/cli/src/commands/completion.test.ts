import { execFileSync, spawnSync } from "node:child_process";
import { beforeAll, describe, expect, test } from "vitest";
import { inTurn } from "../../test/toolrig-process.ts";

/** What the scripts ask stands for itself. */
const STAND_IN = `case "$1" in
  tools) printf 'search_docs\\tx\\nsend_mail\\tx\\n' ;;
  log) printf 'a\\tb\\tc\\td\\texec_1\\n' ;;
  runs) printf 'run_1\\tx\\n' ;;
  waiting) printf 'exec_2\\tx\\n' ;;
esac`;
const has = (shell: string) => spawnSync(shell, ["-c", "true"]).status === 0;
const linesOf = (text: string) => text.trim().split("\n");

/** What a shell offers for a line whose last word is being typed. */
const SHELLS: Record<string, (script: string, words: readonly string[]) => string[]> = {
  bash(script, words) {
    const line = `COMP_WORDS=(${words.map((word) => `'${word}'`).join(" ")}); COMP_CWORD=${words.length - 1}`;
    const program = `toolrig() { ${STAND_IN}; }\n${script}\n${line}; _toolrig; printf '%s\\n' "\${COMPREPLY[@]}"`;
    return linesOf(execFileSync("bash", ["--norc", "-c", program], { encoding: "utf8" }));
  },
  zsh(script, words) {
    const stubs = `compdef() { :; }; _files() { :; }; compadd() { shift; print -l -- "$@"; }
      _describe() { print -l -- "\${(@)\${(@P)2}%%:*}"; }`;
    const line = `words=(${words.map((word) => `'${word}'`).join(" ")}); CURRENT=${words.length}`;
    const program = `toolrig() { ${STAND_IN}; }\n${stubs}\n${script}\n${line}; _toolrig`;
    const offered = linesOf(execFileSync("zsh", ["-f", "-c", program], { encoding: "utf8" }));
    return offered.filter((each) => each.startsWith(words.at(-1) ?? ""));
  },
  fish(script, words) {
    const stand = `function toolrig; sh -c '${STAND_IN.replaceAll("'", "'\\''").replaceAll("\\t", "\\\\t").replaceAll("\\n", "\\\\n")}' sh $argv; end`;
    const program = `${stand}\n${script}\ncomplete -C '${words.join(" ")}'`;
    const out = execFileSync("fish", ["--no-config", "-c", program], { encoding: "utf8" });
    return linesOf(out).map((line) => line.split("\t")[0]!);
  },
};

const scripts = new Map<string, string>();
beforeAll(async () => {
  const outcomes = await inTurn(Object.keys(SHELLS).map((shell) => ["completion", shell]));
  for (const [index, shell] of Object.keys(SHELLS).entries()) scripts.set(shell, outcomes[index]!.stdout);
});

describe.each(Object.keys(SHELLS))("completion in %s", (shell) => {
  test.skipIf(!has(shell)).each([
    [["ex"], ["extract"]],
    [["extract", "--fa"], ["--family"]],
    [["approvals", "ap"], ["approve"]],
    [["mcp", "acc"], ["accept"]],
    [
      ["call", "se"],
      ["search_docs", "send_mail"],
    ],
    [
      ["call", "--json", "se"],
      ["search_docs", "send_mail"],
    ],
    [["policy", "explain", "sea"], ["search_docs"]],
    [["approvals", "deny", "ex"], ["exec_2"]],
    [["show", "ex"], ["exec_1"]],
    [["resume", "ru"], ["run_1"]],
    [["settle", "exec_1", "hap"], ["happened"]],
    [
      ["help", "com"],
      ["complete", "completion"],
    ],
  ])("%j is completed to %j", (words, expected) => {
    expect(SHELLS[shell]!(scripts.get(shell)!, ["toolrig", ...words]).sort()).toEqual(expected);
  });
});
