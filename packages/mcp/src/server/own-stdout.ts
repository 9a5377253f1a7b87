import { Writable } from "node:stream";

/**
 * Takes standard output for the protocol alone: whatever else of this process writes there goes to standard error, so that a
 * tool that prints does not break the connection.
 */
export function ownStdout(): { output: Writable; giveBack(): void } {
  const { stdout, stderr } = process;
  const original = stdout.write;
  const write = original.bind(stdout) as (text: string, done: (error?: Error | null) => void) => boolean;
  stdout.write = stderr.write.bind(stderr) as typeof stdout.write;
  const output = new Writable({
    decodeStrings: false,
    highWaterMark: 1_048_576,
    write: (text: string, _, done) => void write(text, done),
    writev: (pieces, done) => void write(pieces.map(({ chunk }) => String(chunk)).join(""), done),
  });
  stdout.on("error", (error) => output.destroy(error));
  return {
    output,
    giveBack() {
      stdout.write = original;
    },
  };
}
