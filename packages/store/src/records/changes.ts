import type { Principal } from "@toolrig/core";
import type { Database } from "../database/database.ts";
import { fromJson } from "../database/json.ts";
import { CHANGE } from "./notices.ts";
import type { RecordRow } from "./query.ts";

/** A change of what calls depend on, with its author. Holds no secret. */
export interface AdministrativeChange {
  action:
    | "description.set"
    | "description.reset"
    | "token.made"
    | "token.revoked"
    | "policy.applied"
    | "dead-letter.retried"
    | "dead-letter.dropped";
  /** The tool, token or letter that was changed; the SHA-256 of a policy. */
  subject: string;
  by: Principal;
  /** More of it, such as the new text. */
  details?: Readonly<Record<string, unknown>>;
}

/** A change with its place in the chain. */
export interface StoredChange extends AdministrativeChange {
  seq: number;
  /** Epoch milliseconds. */
  at: number;
}

export interface ChangeQuery {
  action?: AdministrativeChange["action"];
  /** Default 100. */
  limit?: number;
}

/** Newest first. */
export function changesIn(database: Database, { action, limit = 100 }: ChangeQuery): StoredChange[] {
  return database.read(() =>
    database
      .prepare<RecordRow>(
        `SELECT * FROM records WHERE kind = '${CHANGE}' AND kind <> 'ok' AND (tool = $action OR $action IS NULL) ORDER BY seq DESC LIMIT $limit`,
      )
      .all({ action: action ?? null, limit })
      .map(({ seq, body }) => ({ ...(fromJson(body) as Omit<StoredChange, "seq">), seq })),
  );
}
