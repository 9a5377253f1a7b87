import type { FileEffect } from "@toolrig/core";
import { artifactId } from "@toolrig/core/kit";

/** What is known of a file at one end of a stretch of work. */
export type Side =
  | { state: "absent" }
  /** Its content is in the artifact store under `id`. */
  | { state: "kept"; id: string }
  | { state: "not-kept"; bytes?: number };

/** What became of one file, whatever happened to it in between. */
export interface FileChange {
  path: string;
  /** Its path before, when it was moved. */
  movedFrom?: string;
  change: "created" | "changed" | "deleted" | "moved" | "folder";
  before: Side;
  after: Side;
}

interface Change {
  origin: string;
  before: Side;
  after: Side;
  folder: boolean;
}

/** The net change of each file over effects in the order in which they happened. What came and went is left out. */
export function netChanges(effects: Iterable<FileEffect>): FileChange[] {
  const changes = new Map<string, Change>();
  for (const effect of effects) apply(changes, effect);
  const net = [...changes].flatMap(([path, change]) => described(path, change));
  return net.sort((a, b) => (a.path < b.path ? -1 : 1));
}

function apply(changes: Map<string, Change>, effect: FileEffect): void {
  const { path, op, to } = effect;
  const known = changes.get(path);
  const before = known?.before ?? sideBefore(effect);
  const origin = known?.origin ?? path;
  if (op === "mkdir") {
    changes.set(path, { origin, before, after: { state: "not-kept" }, folder: true });
  } else if (op === "delete") {
    changes.set(path, { origin, before, after: { state: "absent" }, folder: false });
  } else if (op === "move" && to !== undefined) {
    changes.delete(path);
    const after = known?.after ?? sideAfter(effect);
    changes.set(to, { origin, before, after, folder: known?.folder ?? false });
  } else {
    changes.set(path, { origin, before, after: sideAfter(effect), folder: false });
  }
}

function sideBefore({ op, before, bytesBefore }: FileEffect): Side {
  if (op === "create" || op === "mkdir") return { state: "absent" };
  return side(before, bytesBefore);
}

function sideAfter({ after, bytesAfter, op, before, bytesBefore }: FileEffect): Side {
  if (op === "move") return side(after ?? before, bytesAfter ?? bytesBefore);
  return side(after, bytesAfter);
}

/** An effect names content by its id, or by its SHA-256, from which the id follows. */
function side(id: string | undefined, bytes: number | undefined): Side {
  if (id !== undefined) return { state: "kept", id: /^[0-9a-f]{64}$/.test(id) ? artifactId(id) : id };
  return bytes === undefined ? { state: "not-kept" } : { state: "not-kept", bytes };
}

function described(path: string, { origin, before, after, folder }: Change): FileChange[] {
  const moved = origin !== path;
  if (before.state === "absent" && after.state === "absent") return [];
  if (folder) return [{ path, change: "folder", before, after }];
  if (before.state === "absent") return [{ path, change: "created", before, after }];
  if (after.state === "absent") return [{ path: origin, change: "deleted", before, after }];
  if (moved) return [{ path, movedFrom: origin, change: "moved", before, after }];
  const same = before.state === "kept" && after.state === "kept" && before.id === after.id;
  return same ? [] : [{ path, change: "changed", before, after }];
}
