import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { ToolrigError } from "@toolrig/core";
import { isWaiting, messageOf, newId } from "@toolrig/core/kit";
import { declarations } from "@toolrig/sandbox";
import { CONFIG_OPTION } from "../config/load-settings.ts";
import { openRig, openScriptRig } from "../config/open-rig.ts";
import { command } from "../shell/command.ts";
import { EVENTS_OPTION } from "../shell/events-option.ts";
import { exitCodeOf } from "../shell/exit-code.ts";
import { notEmpty } from "../shell/flag-checks.ts";
import { cancelOnSignal } from "../terminal/cancel-on-signal.ts";
import { printEvent } from "../terminal/event-json.ts";
import { eventPrinter } from "../terminal/event-printer.ts";
import { readStdin } from "../terminal/input.ts";
import { noteReconciled } from "../terminal/note-reconciled.ts";
import { note, print, printJson, showsProgress } from "../terminal/output.ts";
import { printResult } from "../terminal/result-view.ts";
import { answerHere } from "./approvals/answer-here.ts";

export const code = command({
  name: "code",
  positionals: ["[FILE|-]"],
  options: {
    ...CONFIG_OPTION,
    ...EVENTS_OPTION,
    check: { type: "boolean", describe: "check types first, where TypeScript is installed" },
    types: { type: "boolean", describe: "print the types of the tools instead, for an editor" },
    detach: { type: "boolean", describe: "do not stay with a script that waits for somebody or something" },
    execution: {
      type: "string",
      value: "ID",
      check: notEmpty,
      describe: "go on with this execution of the script, or begin it under this id",
    },
  },
  details: [
    "The script is the body of an async function: await tools.NAME({ ... }), return a value. It runs in a sandbox; each call",
    "that it makes passes the whole pipeline. What it returns and logs goes to stdout; with --json the whole result. With -",
    "it is read from standard input. A script that waits is kept in the store: with --detach it goes on by itself once what it",
    "waits for has ended, and after a crash --execution goes on where it was. The config's code options apply where it has them.",
  ].join("\n"),
  examples: [
    "toolrig code report.ts",
    "echo 'return await tools.glob({ pattern: \"**\" })' | toolrig code -",
  ],

  async run({ values, positionals: [file] }) {
    if (file === undefined && values.types !== true)
      throw new ToolrigError("OPTION_INVALID", "code needs a FILE with a script, or - for standard input.");
    if (file === undefined || values.types === true) return printTypes(values.config);
    const text = file === "-" ? await readStdin() : await scriptIn(file);
    const options = values.check === true ? { typeCheck: true } : {};
    const { rig, script: name } = await openScriptRig(values.config, options);
    try {
      const progress = showsProgress(values.verbose);
      if (values.events === true) rig.events.on(printEvent);
      else if (progress) rig.events.on(eventPrinter());
      answerHere(rig, { detach: values.detach });
      noteReconciled(rig);
      const executionId = values.execution ?? newId("exec");
      const result = await rig.call(
        { id: newId("call"), name, arguments: { code: text } },
        {
          source: "cli",
          executionId,
          signal: cancelOnSignal(),
          ...(values.detach === true && { onWaiting: "continue" as const }),
        },
      );
      if (values.events === true) return exitCodeOf(result);
      if (values.json === true) printJson(result);
      else if (!isWaiting(result)) printResult(result, progress);
      else note(`The script waits; its execution is ${executionId}.`, "warn");
      return exitCodeOf(result);
    } finally {
      await rig.close();
    }
  },
});

async function printTypes(config: string | undefined): Promise<number> {
  const rig = await openRig(config);
  try {
    print(declarations(rig.executor.definitions()).trimEnd());
    return 0;
  } finally {
    await rig.close();
  }
}

async function scriptIn(file: string): Promise<string> {
  try {
    return await readFile(resolve(file), "utf8");
  } catch (error) {
    throw new ToolrigError("OPTION_INVALID", `FILE must be a readable script: ${messageOf(error)}.`);
  }
}
