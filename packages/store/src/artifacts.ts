import { createHash } from "node:crypto";
import type { DataLabels } from "@toolrig/core";
import { type ArtifactStore, artifactId, joinLabels } from "@toolrig/core/kit";
import type { Database } from "./database/database.ts";
import { fromJson, toJson } from "./database/json.ts";
import type { Session } from "./database/session.ts";
import { storeError } from "./database/store-error.ts";

/** Bytes of a piece, before it is cut where a character ends. */
const PIECE = 64 * 1024;

interface ArtifactRow {
  id: number;
  bytes: number;
  chars: number;
  /** As JSON; null where nobody said anything. */
  labels: string | null;
}

interface NamedArtifact {
  id: number;
  name: string;
}

type Part = Awaited<ReturnType<ArtifactStore["read"]>>;

interface PieceRow {
  n: number;
  /** How many characters come before it. */
  first_char: number;
  content: Uint8Array;
}

/** Content-addressed, in pieces: neither writing nor reading holds the whole in memory. */
export class SqliteArtifacts implements ArtifactStore {
  readonly #database: Database;
  readonly #session: Session;
  readonly #now: () => number;
  readonly #compared = new Set<number>();

  constructor(database: Database, session: Session, now: () => number) {
    this.#database = database;
    this.#session = session;
    this.#now = now;
  }

  put(content: string | Uint8Array, labels?: DataLabels): string {
    const bytes = typeof content === "string" ? Buffer.from(content) : content;
    const hash = createHash("sha256").update(bytes).digest("hex");
    return this.#database.write("grouped", () => {
      if (this.#touch(hash, labels)) return artifactId(hash);
      const draft = new Draft(this.#database, this.#begin());
      draft.add(bytes);
      return this.#finish(draft, hash, labels);
    });
  }

  async write(pieces: AsyncIterable<string | Uint8Array>, labels?: DataLabels): Promise<string> {
    const draft = new Draft(
      this.#database,
      this.#database.write("grouped", () => this.#begin()),
    );
    const hash = createHash("sha256");
    try {
      for await (const piece of pieces) {
        const bytes = typeof piece === "string" ? Buffer.from(piece) : piece;
        hash.update(bytes);
        this.#database.write("grouped", () => draft.add(bytes));
      }
      const digest = hash.digest("hex");
      return this.#database.write("grouped", () => {
        if (!this.#touch(digest, labels)) return this.#finish(draft, digest, labels);
        this.#drop(draft.id);
        return artifactId(digest);
      });
    } catch (error) {
      this.#abandon(draft);
      throw error;
    }
  }

  read(id: string, from: number, to: number): Part {
    return this.#database.read(() => {
      const artifact = this.#find(id);
      if (artifact === undefined) return undefined;
      this.#compare(id, artifact);
      const known = artifact.labels === null ? {} : { labels: fromJson(artifact.labels) as DataLabels };
      const first = this.#database
        .prepare<Omit<PieceRow, "content">>(
          "SELECT n, first_char FROM artifact_pieces WHERE artifact = ? AND first_char <= ? ORDER BY n DESC LIMIT 1",
        )
        .get(artifact.id, Math.max(0, from));
      if (first === undefined) return { text: "", length: artifact.chars, ...known };
      const pieces = this.#database
        .prepare<Pick<PieceRow, "content">>(
          "SELECT content FROM artifact_pieces WHERE artifact = ? AND n >= ? AND first_char < ? ORDER BY n",
        )
        .all(artifact.id, first.n, to)
        .map(({ content }) => decode(content));
      const text = pieces.join("").slice(Math.max(0, from) - first.first_char, to - first.first_char);
      return { text: to <= from ? "" : text, length: artifact.chars, ...known };
    });
  }

  bytes(id: string): Iterable<Uint8Array> | undefined {
    const artifact = this.#database.read(() => this.#find(id));
    if (artifact === undefined) return undefined;
    this.#compare(id, artifact);
    return this.#pieces(artifact.id);
  }

  /** How many bytes an artifact has. */
  size(id: string): number | undefined {
    return this.#database.read(() => this.#find(id)?.bytes);
  }

  /** What was put or put again before `usedBefore`, and what was longest ago beyond `maxBytes`. */
  old({
    usedBefore = -Infinity,
    maxBytes = Infinity,
  }: {
    usedBefore?: number;
    maxBytes?: number;
  }): NamedArtifact[] {
    let kept = 0;
    return this.#database
      .prepare<NamedArtifact & { bytes: number; used_at: number }>(
        "SELECT id, name, bytes, used_at FROM artifacts WHERE hash IS NOT NULL ORDER BY used_at DESC, id DESC",
      )
      .all()
      .filter(({ bytes, used_at: usedAt }) => {
        kept += bytes;
        return usedAt < usedBefore || kept > maxBytes;
      });
  }

  /** Removes what sessions that are gone began to write and never finished. */
  sweep(): void {
    const sessions = this.#database
      .prepare<{ session: number }>("SELECT DISTINCT session FROM artifacts WHERE hash IS NULL")
      .all();
    const dead = sessions.filter(({ session }) => !this.#session.isAlive(session));
    if (dead.length === 0) return;
    this.#database.write("grouped", () => {
      for (const { session } of dead)
        this.#database.prepare("DELETE FROM artifacts WHERE hash IS NULL AND session = ?").run(session);
    });
  }

  /** Throws `STORE_FAILED` where an artifact's bytes are not those of its hash. Each is compared once by a process. */
  #compare(id: string, artifact: ArtifactRow): void {
    if (this.#compared.has(artifact.id)) return;
    const hash = createHash("sha256");
    for (const piece of this.#pieces(artifact.id)) hash.update(piece);
    if (artifactId(hash.digest("hex")) !== id)
      throw storeError(this.#database.path, "corrupt", `artifact ${id} does not match its hash`);
    this.#compared.add(artifact.id);
  }

  *#pieces(artifact: number): Iterable<Uint8Array> {
    for (let n = 0; ; n++) {
      const piece = this.#database.read(() =>
        this.#database
          .prepare<Pick<PieceRow, "content">>(
            "SELECT content FROM artifact_pieces WHERE artifact = ? AND n = ?",
          )
          .get(artifact, n),
      );
      if (piece === undefined) return;
      yield piece.content;
    }
  }

  #find(id: string): ArtifactRow | undefined {
    return this.#database
      .prepare<ArtifactRow>("SELECT id, bytes, chars, labels FROM artifacts WHERE name = ?")
      .get(id);
  }

  #begin(): number {
    const { lastInsertRowid } = this.#database
      .prepare("INSERT INTO artifacts (bytes, chars, session, used_at) VALUES (0, 0, ?, ?)")
      .run(this.#session.id(), this.#now());
    return Number(lastInsertRowid);
  }

  #finish(draft: Draft, hash: string, labels: DataLabels | undefined): string {
    draft.end();
    const name = artifactId(hash);
    this.#database
      .prepare("UPDATE artifacts SET hash = ?, name = ?, bytes = ?, chars = ?, labels = ? WHERE id = ?")
      .run(hash, name, draft.bytes, draft.chars, toJson(labels), draft.id);
    return name;
  }

  /** Whether there is such content already; it is then as new, and known by these labels as well. */
  #touch(hash: string, labels: DataLabels | undefined): boolean {
    const kept = this.#database
      .prepare<Pick<ArtifactRow, "labels">>("SELECT labels FROM artifacts WHERE hash = ?")
      .get(hash);
    if (kept === undefined) return false;
    const joined = joinLabels(fromJson(kept.labels) as DataLabels | undefined, labels);
    this.#database
      .prepare("UPDATE artifacts SET used_at = ?, labels = ? WHERE hash = ?")
      .run(this.#now(), toJson(joined), hash);
    return true;
  }

  /** Where even this fails, the next start sweeps it. */
  #abandon(draft: Draft): void {
    try {
      this.#database.write("grouped", () => this.#drop(draft.id));
    } catch {
      // The error that led here is the one to report.
    }
  }

  #drop(id: number): void {
    this.#database.prepare("DELETE FROM artifacts WHERE id = ?").run(id);
  }
}

/** An artifact that is being written, cut into pieces that begin and end with whole characters. */
class Draft {
  readonly id: number;
  readonly #database: Database;
  #rest: Buffer = Buffer.alloc(0);
  #n = 0;
  bytes = 0;
  chars = 0;

  constructor(database: Database, id: number) {
    this.#database = database;
    this.id = id;
  }

  add(bytes: Uint8Array): void {
    let all = this.#rest.length === 0 ? Buffer.from(bytes) : Buffer.concat([this.#rest, bytes]);
    while (all.length > PIECE) {
      const end = characterEnd(all, PIECE);
      this.#store(all.subarray(0, end));
      all = all.subarray(end);
    }
    this.#rest = all;
  }

  end(): void {
    if (this.#rest.length > 0) this.#store(this.#rest);
    this.#rest = Buffer.alloc(0);
  }

  #store(content: Uint8Array): void {
    this.#database
      .prepare("INSERT INTO artifact_pieces (artifact, n, first_char, content) VALUES (?, ?, ?, ?)")
      .run(this.id, this.#n, this.chars, content);
    this.#n += 1;
    this.bytes += content.length;
    this.chars += decode(content).length;
  }
}

/** The end of the last whole UTF-8 character at or before `at`; `at` itself in what is not UTF-8. */
function characterEnd(bytes: Buffer, at: number): number {
  for (let back = 0; back < 4; back++) {
    if ((bytes.readUInt8(at - back) & 0xc0) !== 0x80) return at - back;
  }
  return at;
}

function decode(bytes: Uint8Array): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
}
