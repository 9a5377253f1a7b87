import { accessSync, constants, statSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";

/** The absolute path of a program, found as the system finds it. Undefined if there is none. */
export function findExecutable(
  command: string,
  path: string = process.env.PATH ?? "",
  accepts: (file: string) => boolean = () => true,
): string | undefined {
  if (command === "" || command.includes("\0")) return undefined;
  if (isAbsolute(command)) return isExecutable(command) && accepts(command) ? command : undefined;
  // A name with a slash would be looked up in the working directory, which a model may have written to.
  if (command.includes("/")) return undefined;
  for (const folder of path.split(delimiter)) {
    if (!isAbsolute(folder)) continue;
    const file = join(folder, command);
    if (isExecutable(file) && accepts(file)) return file;
  }
  return undefined;
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
