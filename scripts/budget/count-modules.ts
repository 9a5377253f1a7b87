/** Preloaded with `--import`: writes the number of files that the process loaded as modules into the file that `COUNT_INTO` names. */
import { writeFileSync } from "node:fs";
import { registerHooks } from "node:module";

const into = process.env.COUNT_INTO;
const files = new Set<string>();

registerHooks({
  load(url, context, nextLoad) {
    // Built-in modules are Node's: how many there are differs with its version.
    if (url.startsWith("file:")) files.add(url);
    return nextLoad(url, context);
  },
});
process.on("exit", () => {
  if (into !== undefined) writeFileSync(into, String(files.size));
});
