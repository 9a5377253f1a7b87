import type * as Sqlite from "node:sqlite";

/** Node's SQLite. It is asked for here and not imported, so that a Node without it is told what it lacks. */
export const { DatabaseSync } = sqlite();

function sqlite(): typeof Sqlite {
  const found = process.getBuiltinModule?.("node:sqlite");
  if (found !== undefined) return found;
  throw new Error(
    `Toolrig needs Node 22.18 or newer; this is ${process.versions.node}, ${process.execPath}. ` +
      "Install a newer one: https://nodejs.org/en/download",
  );
}
