/** Runs in a process of its own: one statement that reads, on the database that the inherited descriptor is. */
import { fstatSync, readdirSync, readlinkSync, statSync } from "node:fs";
import { join } from "node:path";
import { constants, DatabaseSync, type SQLInputValue } from "node:sqlite";
import { BESIDE, HELD, Refused, serveOne } from "./child-io.ts";
import { copy, headerOf, stateOf, whileUnchanged } from "./unchanged.ts";

export interface QueryRequest {
  /** The real path of the database. */
  path: string;
  /** An empty folder for a copy of the database and its log, where there is one. */
  copyTo?: string;
  sql: string;
  parameters:
    | readonly (string | number | boolean | null)[]
    | Readonly<Record<string, string | number | boolean | null>>;
  /** Rows that are passed by. */
  skip: number;
  rows: number;
  characters: number;
}

export interface QueryAnswer {
  columns: string[];
  rows: (string | number | null)[][];
  more: boolean;
}

serveOne<QueryRequest, QueryAnswer>(({ path, copyTo, ...asked }) => {
  if (copyTo !== undefined) return ask(copied(copyTo), asked);
  return whileUnchanged(
    () => stateOf(HELD),
    () => {
      // Immutable: nothing beside the file is opened or made, and nothing is locked.
      const database = open(`file:${encodeURIComponent(path)}?immutable=1`);
      try {
        if (!isOpen()) throw new Refused("The database was replaced while it was opened.");
        return ask(database, asked);
      } finally {
        // What is left open would pass for what the next try opened.
        database.close();
      }
    },
  );
});

/** The file as it is with what only its log has: the log may grow meanwhile, and what was added is as if it came later. */
function copied(folder: string): DatabaseSync {
  const path = join(folder, "copy.db");
  whileUnchanged(
    () => stateOf(HELD) + headerOf(BESIDE),
    () => {
      copy(HELD, path);
      copy(BESIDE, `${path}-wal`);
    },
  );
  return open(path);
}

type Asked = Omit<QueryRequest, "path" | "copyTo">;

function ask(database: DatabaseSync, asked: Asked): QueryAnswer {
  database.exec("PRAGMA query_only = 1; PRAGMA trusted_schema = 0;");
  forbid(database);
  try {
    return run(database, asked);
  } catch (error) {
    throw new Refused(problemOf(error));
  }
}

function problemOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  // Node has no words for text that is longer than a string can be.
  if (message === "out of memory" || message.startsWith("Iterator result undefined"))
    return "The statement takes more memory than there is for it; ask for less at a time.";
  return message;
}

function open(path: string): DatabaseSync {
  try {
    return new DatabaseSync(path, { readOnly: true, allowExtension: false });
  } catch (error) {
    throw new Refused(`It cannot be opened: ${error instanceof Error ? error.message : String(error)}.`);
  }
}

/** SQLite opens by path: whether it has the file that was checked shows from its descriptors. */
function isOpen(): boolean {
  if (process.platform !== "linux") return true;
  const held = fstatSync(HELD, { bigint: true });
  return readdirSync("/proc/self/fd").some((fd) => {
    if (fd === String(HELD)) return false;
    try {
      readlinkSync(`/proc/self/fd/${fd}`);
      const { dev, ino } = statSync(`/proc/self/fd/${fd}`, { bigint: true });
      return dev === held.dev && ino === held.ino;
    } catch {
      return false;
    }
  });
}

/** Where Node can: whatever the statement is, it reads tables and calls functions, and nothing else. */
function forbid(database: DatabaseSync): void {
  if (typeof database.setAuthorizer !== "function") return;
  const allowed = [
    constants.SQLITE_SELECT,
    constants.SQLITE_READ,
    constants.SQLITE_FUNCTION,
    constants.SQLITE_RECURSIVE,
    constants.SQLITE_PRAGMA,
  ];
  database.setAuthorizer((action, name) => {
    if (action === constants.SQLITE_FUNCTION && name === "load_extension") return constants.SQLITE_DENY;
    return allowed.includes(action) ? constants.SQLITE_OK : constants.SQLITE_DENY;
  });
}

function run(database: DatabaseSync, { sql, parameters, skip, rows, characters }: Asked): QueryAnswer {
  const statement = database.prepare(sql);
  statement.setReadBigInts(true);
  statement.setReturnArrays(true);
  const columns = statement.columns().map(({ name }) => name);
  const named = Array.isArray(parameters) ? {} : bound(parameters as Record<string, Bindable>);
  const listed = Array.isArray(parameters) ? (parameters as Bindable[]).map(value) : [];
  const answer: QueryAnswer = { columns, rows: [], more: false };
  let room = characters;
  let passed = 0;
  for (const row of statement.iterate(named, ...listed) as Iterable<unknown>) {
    if (passed++ < skip) continue;
    const cells = (row as unknown[]).map(shown);
    room -= cells.reduce<number>((sum, cell) => sum + String(cell).length + 3, 0);
    answer.more = answer.rows.length === rows || room < 0;
    if (answer.more) break;
    answer.rows.push(cells);
  }
  return answer;
}

type Bindable = string | number | boolean | null;

function value(given: Bindable): SQLInputValue {
  return typeof given === "boolean" ? Number(given) : given;
}

function bound(parameters: Readonly<Record<string, Bindable>>): Record<string, SQLInputValue> {
  return Object.fromEntries(Object.entries(parameters).map(([name, each]) => [name, value(each)]));
}

/** As JSON can hold it: numbers that it cannot are text, and so is the beginning of what is binary. */
function shown(cell: unknown): string | number | null {
  if (typeof cell === "bigint") return Number.isSafeInteger(Number(cell)) ? Number(cell) : String(cell);
  if (typeof cell === "number") return Number.isFinite(cell) ? cell : String(cell);
  if (cell instanceof Uint8Array)
    return `x'${Buffer.from(cell.subarray(0, 64)).toString("hex")}${cell.length > 64 ? "…" : ""}' (${cell.length} bytes)`;
  return cell === null || cell === undefined ? null : String(cell);
}
