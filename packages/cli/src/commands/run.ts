import { command } from "../shell/command.ts";
import { readStdin } from "../terminal/input.ts";
import { RUN_DETAILS, RUN_OPTIONS, runTask } from "./run/run-task.ts";

export const run = command({
  name: "run",
  positionals: ["TASK|-"],
  options: RUN_OPTIONS,
  details: RUN_DETAILS,
  examples: [
    'toolrig run "What changed in the docs this week?" --model openai:gpt-5',
    "toolrig run - --model openai:gpt-5 --tools search_docs,read_page < task.txt",
    'OPENAI_BASE_URL=http://127.0.0.1:11434/v1 toolrig run "Hi" -m openai:qwen3',
  ],

  async run({ values, positionals: [given] }) {
    const task = given === "-" ? await readStdin() : given;
    return runTask(values, (rig, options) => rig.run(task, options));
  },
});
