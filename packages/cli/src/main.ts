import { commands } from "./commands/commands.ts";
import { answerBare, splitArguments } from "./shell/bare.ts";
import { keepCompiled } from "./shell/compile-cache.ts";
import { surviveBrokenPipes } from "./terminal/streams.ts";

// What is imported above is all that the version and the overview load: `npm run budget` holds it to a few modules.
surviveBrokenPipes();

const args = process.argv.slice(2);
const { name, rest } = splitArguments(args);
const answer = name === undefined ? answerBare(rest, commands) : undefined;
if (answer !== undefined && "text" in answer) {
  process.stdout.write(`${answer.text}\n`, () => process.exit(0));
} else {
  // How Node reads the user's TypeScript, and what it thinks of its own SQLite, is not something the user has to know.
  process.removeAllListeners("warning");
  keepCompiled();
  const { runCommand } = await import("./shell/run-command.ts");
  await runCommand(args, commands);
}
