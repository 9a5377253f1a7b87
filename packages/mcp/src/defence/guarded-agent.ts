import { lookup } from "node:dns";
import type { LookupFunction } from "node:net";
import { type AllowedHosts, checkAddress, type Destination, destinationOf } from "@toolrig/core/kit";
import { Agent, buildConnector } from "undici";

/** Longer than any call takes whose answer begins only when it is done. */
const HEADERS_MS = 15 * 60_000;
const CONNECT_MS = 10_000;

/** Opens connections only to addresses that may be reached, whoever asks for them and whatever their name was before. */
export function guardedAgent(allow: AllowedHosts): Agent {
  return new Agent({
    headersTimeout: HEADERS_MS,
    // A stream of events may be silent for as long as it likes: calls have their own deadlines.
    bodyTimeout: 0,
    maxHeaderSize: 32_768,
    connect(options, callback) {
      try {
        const { protocol, hostname, port } = options;
        const destination = destinationOf(`${protocol}//${hostname}${port === "" ? "" : `:${port}`}/`, allow);
        const connect = buildConnector({ lookup: judged(destination), timeout: CONNECT_MS } as never);
        connect(options, (error, socket) => {
          if (error !== null) return callback(error, null);
          try {
            checkAddress(socket.remoteAddress ?? "", destination);
            callback(null, socket);
          } catch (refusal) {
            socket.destroy();
            callback(refusal as Error, null);
          }
        });
      } catch (refusal) {
        callback(refusal as Error, null);
      }
    },
  });
}

/** One address that may not be reached refuses all: who chose it may choose again. */
function judged(destination: Destination): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      if (error !== null) return callback(error, []);
      try {
        for (const { address } of addresses) checkAddress(address, destination);
        if (options.all === true) callback(null, addresses);
        else callback(null, addresses[0]?.address ?? "", addresses[0]?.family);
      } catch (refusal) {
        callback(refusal as Error, []);
      }
    });
  };
}
