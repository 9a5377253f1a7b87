import { mcpServer, type ServedMcp } from "@toolrig/mcp";
import type { Caller } from "../http/route.ts";
import type { ServedRig } from "../served-rig.ts";
import type { Settings } from "./settings.ts";

/** MCP clients, each token with a server of its own: what one may call and who it is are that server's. */
export class McpDoor {
  readonly #rig: ServedRig;
  readonly #settings: Settings;
  readonly #served = new Map<string, { caller: Caller; mcp: ServedMcp }>();

  constructor(rig: ServedRig, settings: Settings) {
    this.#rig = rig;
    this.#settings = settings;
  }

  serve(caller: Caller, request: Request): Promise<Response> {
    const key = caller.tokenId ?? "";
    let found = this.#served.get(key);
    // A token whose scopes were changed is another.
    if (found === undefined || found.caller !== caller) {
      void found?.mcp.close();
      found = { caller, mcp: this.#make(caller) };
      this.#served.set(key, found);
    }
    return found.mcp.fetch(request);
  }

  async close(): Promise<void> {
    await Promise.all(Array.from(this.#served.values(), ({ mcp }) => mcp.close()));
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
