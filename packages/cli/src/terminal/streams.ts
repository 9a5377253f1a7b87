/** Standard output and standard error as such: what is here loads with every command line, so that it imports nothing. */
export type Stream = "stdout" | "stderr";

/** How many characters fit on a line; 80 where it is not a terminal. */
export function widthOf(stream: Stream): number {
  return process[stream].columns || 80;
}

/** A reader that closes the pipe early, such as `head`, ends the output but neither the command nor its exit code. */
export function surviveBrokenPipes(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "EPIPE") throw error;
    });
  }
}
