import type { IncomingMessage, ServerResponse } from "node:http";
import type { ConnectionOptions } from "@toolrig/mcp";
import type { Methods, Peer } from "./peer.ts";
import type { Scene } from "./scene.ts";

interface Common {
  /** What the server does. */
  name: string;
  /** What then happens, as documented. */
  outcome: string;
  options?: ConnectionOptions;
  /** Takes seconds: only in the full version. */
  long?: true;
  /** Throws what was not as documented. */
  check(scene: Scene): Promise<void>;
}

/** A server over stdio: the methods that are not as they should be. */
export interface StdioBehaviour extends Common {
  server(peer: Peer): Methods;
}

/** A server over HTTP: all it answers. */
export interface HttpBehaviour extends Common {
  /** `own` is its own address, `inner` that of a service it has no business with. */
  answer(request: IncomingMessage, response: ServerResponse, places: { own: string; inner: string }): void;
}

export type Behaviour = StdioBehaviour | HttpBehaviour;

export function must(holds: boolean, problem: string): asserts holds {
  if (!holds) throw new Error(problem);
}
