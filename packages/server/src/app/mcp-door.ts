import { defined } from "@toolrig/core/kit";
import { mcpServer, type ServedMcp } from "@toolrig/mcp";
import type { Caller } from "../http/route.ts";
import type { CallDesk } from "../live/call-desk.ts";
import { deskExecutor } from "../live/desk-executor.ts";
import type { Gate } from "../security/gate.ts";
import type { ServedRig } from "../served-rig.ts";
import type { Settings } from "./settings.ts";

/**
 * MCP clients, each token with a server of its own: what one may call and who it is are that server's. With a token that is
 * revoked, changed or expires its connections end, and those of no other.
 */
export class McpDoor {
  readonly #rig: Parameters<typeof mcpServer>[0];
  readonly #settings: Settings;
  readonly #gate: Pick<Gate, "endOf">;
  readonly #served = new Map<Caller, ServedMcp>();

  constructor(rig: ServedRig, desk: CallDesk, settings: Settings, gate: Pick<Gate, "endOf">) {
    const { tools, events, waits, approvals, mcp } = rig;
    this.#rig = { executor: deskExecutor(rig, desk), tools, events, waits, approvals, mcp };
    this.#settings = settings;
    this.#gate = gate;
  }

  serve(caller: Caller, request: Request): Promise<Response> {
    return (this.#served.get(caller) ?? this.#open(caller)).fetch(request);
  }

  async close(): Promise<void> {
    await Promise.all(Array.from(this.#served.values(), (mcp) => mcp.close()));
  }

  #open(caller: Caller): ServedMcp {
    const mcp = this.#make(caller);
    this.#served.set(caller, mcp);
    this.#gate.endOf(caller).addEventListener("abort", () => {
      this.#served.delete(caller);
      mcp.close().catch((error: Error) => this.#settings.onError(error));
    });
    return mcp;
  }

  #make({ acting, allow, tokenId }: Caller): ServedMcp {
    const { version, hosts, origins, limits, onError } = this.#settings;
    return mcpServer(this.#rig, {
      version,
      hosts,
      ...(origins.length > 0 && { origins }),
      maxMessage: limits.body,
      views: {
        all: {
          ...defined({ allow }),
          principal: tokenId === undefined ? { id: "mcp" } : acting,
        },
      },
      onError,
    });
  }
}
