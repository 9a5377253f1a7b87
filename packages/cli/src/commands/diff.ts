import type { ProcessEffect } from "@toolrig/core";
import { diffOf, type FileChange, patchOf } from "@toolrig/store";
import { STORE_OPTIONS, withStore } from "../config/open-store-file.ts";
import { command } from "../shell/command.ts";
import { EXIT_CODE } from "../shell/exit-code.ts";
import { note, paint, printJson, printStyled, type Tone, visible } from "../terminal/output.ts";
import { neededId } from "./find-id.ts";

export const diff = command({
  name: "diff",
  positionals: ["RUN|@last"],
  options: STORE_OPTIONS,
  details: [
    "A file that was written several times is one change. Processes, requests and files whose content was not kept are",
    "lines that begin with #. With --json, the changes as data, as a whole and turn by turn, with the patch.",
    `Exit code ${EXIT_CODE.not_found} when nothing is known of the run.`,
  ].join("\n"),
  examples: ["toolrig diff run_01", "toolrig diff run_01 | git apply --reverse"],

  run: ({ values, positionals: [typed] }) =>
    withStore(values, async (store) => {
      const { artifacts } = store;
      const runId = neededId(store, typed, "run");
      const changes = await diffOf(store, runId);
      const patch = await patchOf(changes.files, artifacts);
      if (values.json === true) {
        printJson({ ...changes, patch });
        return 0;
      }
      printStyled(
        [
          ...changes.processes.map(processLine),
          ...changes.network.map(({ method, url, status }) => `# ${method} ${url} ${status ?? ""}`.trimEnd()),
          ...changes.custom.map(({ name }) => `# ${name}`),
        ].map((line) => paint(visible(line), "dim")),
      );
      printStyled(patch.split("\n").slice(0, -1).map(painted));
      note(summary(changes.files, changes.processes), "dim");
      return 0;
    }),
});

function processLine({ command: program, args = [], exitCode, signal, background }: ProcessEffect): string {
  const end = background
    ? "in the background"
    : signal !== undefined
      ? `killed by ${signal}`
      : `exit ${exitCode ?? "?"}`;
  const words = [program, ...args].map((word) =>
    /^[\w./:=@%+-]+$/.test(word) ? word : JSON.stringify(word),
  );
  return `# ran ${words.join(" ")} (${end})`;
}

function painted(line: string): string {
  const tone: Tone = line.startsWith("+")
    ? "good"
    : line.startsWith("-")
      ? "bad"
      : line.startsWith("#")
        ? "dim"
        : "plain";
  return paint(process.stdout.isTTY ? visible(line) : line, tone);
}

function summary(files: readonly FileChange[], processes: readonly ProcessEffect[]): string {
  const count = (number: number, word: string, many: string) => `${number} ${number === 1 ? word : many}`;
  return `${count(files.length, "file", "files")} changed, ${count(processes.length, "process", "processes")} ran.`;
}
