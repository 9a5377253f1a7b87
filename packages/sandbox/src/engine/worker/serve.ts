import { type Reply, type Request, type Turn, UNUSED } from "../messages.ts";
import { faultOf } from "./fault.ts";
import { Guest } from "./guest.ts";

/** Serves one run after the other: each request is answered by one reply. */
export function serve(module: WebAssembly.Module): (request: Request) => Promise<Reply> {
  let guest: Guest | undefined;

  async function reply(request: Request): Promise<Reply> {
    if (request.type === "start") {
      guest = await Guest.make(module, request);
      return guest.run(request.code);
    }
    if (request.type === "restore") {
      guest = await Guest.restore(module, request);
      return guest.answer([]);
    }
    if (guest === undefined) throw new Error(`there is no run to ${request.type}`);
    return request.type === "pause" ? guest.freeze() : guest.answer(request.answers);
  }

  return async (request) => {
    const said = await reply(request).catch(failed);
    if (said.type === "frozen" || said.ended !== undefined) guest = undefined;
    return said;
  };
}

/** An engine that could not even be made, or not be frozen. */
function failed(error: unknown): Turn {
  return { type: "turn", calls: [], timers: [], cleared: [], logs: [], used: UNUSED, ended: faultOf(error) };
}
