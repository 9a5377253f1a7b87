/** For the programs that run in a process of their own: one request in, one answer out. */
import { readFileSync, writeSync } from "node:fs";
import type { Said } from "./in-child.ts";

/** The descriptor of the file that was opened for the child: the first behind the standard ones. */
export const HELD = 3;
/** Of a second one, where there is one. */
export const BESIDE = 4;

/** The model's fault, in words for it. */
export class Refused extends Error {}

export function serveOne<Request, Answer>(serve: (request: Request) => Answer): void {
  let said: Said<Answer>;
  try {
    said = { answer: serve(JSON.parse(readFileSync(0, "utf8")) as Request) };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    if (/call stack/.test(message)) said = { refused: "It is nested too deeply to be read." };
    else said = error instanceof Refused ? { refused: message } : { failed: message };
  }
  const bytes = Buffer.from(JSON.stringify(said));
  for (let at = 0; at < bytes.length; ) at += writeSync(1, bytes, at);
}
