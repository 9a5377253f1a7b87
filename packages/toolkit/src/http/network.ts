import { lookup } from "node:dns/promises";
import { connect, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { denied, failure, type ToolFailure, transient } from "@toolrig/core";
import { checkAddress, type Destination, isAddress, mappedIPv4 } from "@toolrig/core/kit";

/** How names become addresses and addresses sockets. Only tests give another. */
export interface Network {
  lookup(host: string): Promise<readonly string[]>;
  connect(address: string, port: number): Socket;
}

export const systemNetwork: Network = {
  lookup: async (host) => (await lookup(host, { all: true })).map(({ address }) => address),
  connect: (address, port) => connect({ host: address, port, noDelay: true }),
};

/** How many addresses of a host are tried. */
const MAX_TRIED = 4;

/**
 * The addresses a destination stands for, each judged; one that may not be reached refuses all, since who chose it may choose
 * again. These are what is connected to: nothing is looked up a second time.
 */
export async function addressesOf(destination: Destination, network: Network): Promise<readonly string[]> {
  const { host } = destination;
  const addresses = isAddress(host) ? [host] : await lookUp(host, network);
  if (addresses.length === 0) throw failure(`${host} has no address.`);
  for (const address of addresses) checkAddress(address, destination);
  return addresses.slice(0, MAX_TRIED);
}

async function lookUp(host: string, network: Network): Promise<readonly string[]> {
  try {
    return await network.lookup(host);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "ENOTFOUND") throw failure(`There is no host ${host}.`);
    throw transient(`${host} could not be looked up: ${message}`);
  }
}

/** A connection to the first of these addresses that answers. What was connected is checked before a byte is written. */
export async function connectTo(
  destination: Destination,
  addresses: readonly string[],
  network: Network,
  signal: AbortSignal,
): Promise<Socket> {
  let problem: unknown;
  for (const address of addresses) {
    try {
      return await connected(destination, address, network, signal);
    } catch (error) {
      if (signal.aborted || (error as ToolFailure).failure !== undefined) throw error;
      problem = error;
    }
  }
  throw transient(`${destination.host} cannot be reached: ${(problem as Error).message}`);
}

async function connected(
  destination: Destination,
  address: string,
  network: Network,
  signal: AbortSignal,
): Promise<Socket> {
  const { url, host, port } = destination;
  const plain = await ready(network.connect(address, port), "connect", signal);
  const { remoteAddress = "" } = plain;
  if (remoteAddress !== address && mappedIPv4(remoteAddress) !== address) {
    plain.destroy();
    throw denied(`The connection to ${host} led to ${remoteAddress || "nowhere"} and not to ${address}.`);
  }
  if (url.protocol === "http:") return plain;
  const servername = isAddress(host) ? "" : host;
  const secure = connectTls({ socket: plain, servername, host, ALPNProtocols: ["http/1.1"] });
  try {
    return await ready(secure, "secureConnect", signal);
  } catch (error) {
    plain.destroy();
    if (signal.aborted) throw error;
    throw failure(`No secure connection to ${host}: ${(error as Error).message}`);
  }
}

function ready<Kind extends Socket>(socket: Kind, event: string, signal: AbortSignal): Promise<Kind> {
  return new Promise((resolve, reject) => {
    const give = (finish: () => void) => {
      signal.removeEventListener("abort", onAbort);
      socket.off("error", onError);
      finish();
    };
    const onAbort = () => give(() => fail(signal.reason));
    const onError = (error: Error) => give(() => fail(error));
    const fail = (error: unknown) => {
      // Errors that come later have nobody to be told to.
      socket.on("error", () => {});
      socket.destroy();
      reject(error);
    };
    socket.once("error", onError);
    socket.once(event, () => give(() => resolve(socket)));
    signal.addEventListener("abort", onAbort, { once: true });
    if (signal.aborted) onAbort();
  });
}
