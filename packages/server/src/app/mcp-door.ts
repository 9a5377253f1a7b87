import { mcpServer, type ServedMcp } from "@toolrig/mcp";
import type { Caller } from "../http/route.ts";
import type { Gate } from "../security/gate.ts";
import type { ServedRig } from "../served-rig.ts";
import type { Settings } from "./settings.ts";

const LOOK_MS = 5_000;

/**
 * MCP clients, each token with a server of its own: what one may call and who it is are that server's. With a token that is
 * revoked or expires its connections end.
 */
export class McpDoor {
  readonly #rig: ServedRig;
  readonly #settings: Settings;
  readonly #served = new Map<string, { caller: Caller; mcp: ServedMcp }>();
  readonly #timer: NodeJS.Timeout;

  constructor(rig: ServedRig, settings: Settings, gate: Pick<Gate, "hasToken">) {
    this.#rig = rig;
    this.#settings = settings;
    this.#timer = setInterval(() => this.#dropRevoked(gate), LOOK_MS);
    this.#timer.unref();
  }

  serve(caller: Caller, request: Request): Promise<Response> {
    // A token whose scopes were changed is another.
    const key = JSON.stringify([caller.tokenId, caller.acting, caller.scopes]);
    let found = this.#served.get(key);
    if (found === undefined) {
      found = { caller, mcp: this.#make(caller) };
      this.#served.set(key, found);
    }
    return found.mcp.fetch(request);
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all(Array.from(this.#served.values(), ({ mcp }) => mcp.close()));
  }

  #dropRevoked(gate: Pick<Gate, "hasToken">): void {
    for (const [key, { caller, mcp }] of this.#served) {
      if (caller.tokenId === undefined || gate.hasToken(caller.tokenId)) continue;
      this.#served.delete(key);
      mcp.close().catch((error: Error) => this.#settings.onError(error));
    }
  }

  #make({ acting, allow, tokenId }: Caller): ServedMcp {
    const { version, hosts, origins, limits, onError } = this.#settings;
    return mcpServer(this.#rig, {
      version,
      hosts,
      ...(origins.length > 0 && { origins }),
      maxMessage: Math.max(4_194_304, limits.body),
      views: {
        all: {
          ...(allow !== undefined && { allow }),
          principal: tokenId === undefined ? { id: "mcp" } : acting,
        },
      },
      onError,
    });
  }
}
