import { connect, type Socket } from "node:net";

/** What many connections got in a while. */
export interface Tally {
  /** Answers by status. */
  statuses: Record<string, number>;
  /** Answers of 200. */
  accepted: number;
  /** Connections that broke. */
  broken: number;
  /** Answers of 503 and 429 without Retry-After. */
  unsaid: number;
  seconds: number;
  /** Milliseconds of the slowest in a hundred. */
  p99: number;
}

export interface Hammering {
  connections: number;
  ms: number;
  /** Goes on for longer than `ms` until this holds of the answers by status: a busy machine gets fewer of them in the time. */
  enough?: (statuses: Tally["statuses"]) => boolean;
  request(turn: number): string;
}

/** Sends the same request over and over on each of so many connections, the next when the last is answered. */
export async function hammer(
  port: number,
  { connections, ms, enough = () => true, request }: Hammering,
): Promise<Tally> {
  const tally: Tally = { statuses: {}, accepted: 0, broken: 0, unsaid: 0, seconds: 0, p99: 0 };
  const times: number[] = [];
  const began = performance.now();
  const until = began + ms;
  let turn = 0;
  const one = () =>
    new Promise<void>((resolve) => {
      const socket: Socket = connect(port, "127.0.0.1");
      socket.setNoDelay(true);
      let text = "";
      let sentAt = 0;
      const send = () => {
        if (performance.now() >= until && enough(tally.statuses)) {
          socket.destroy();
          resolve();
          return;
        }
        sentAt = performance.now();
        socket.write(request(turn++));
      };
      socket.on("connect", send);
      socket.setEncoding("latin1");
      socket.on("data", (chunk: string) => {
        text += chunk;
        const end = text.indexOf("\r\n\r\n");
        if (end < 0) return;
        const head = text.slice(0, end).toLowerCase();
        const length = Number(/content-length: (\d+)/.exec(head)?.[1] ?? 0);
        if (text.length < end + 4 + length) return;
        const status = head.slice(9, 12);
        tally.statuses[status] = (tally.statuses[status] ?? 0) + 1;
        if ((status === "503" || status === "429") && !head.includes("retry-after:")) tally.unsaid += 1;
        times.push(performance.now() - sentAt);
        text = "";
        send();
      });
      socket.on("error", () => {
        tally.broken += 1;
        resolve();
      });
      socket.on("close", () => resolve());
    });
  await Promise.all(Array.from({ length: connections }, one));
  tally.accepted = tally.statuses["200"] ?? 0;
  tally.seconds = (performance.now() - began) / 1_000;
  times.sort((a, b) => a - b);
  tally.p99 = times[Math.floor(times.length * 0.99)] ?? 0;
  return tally;
}

export function post(path: string, body: unknown, headers: Record<string, string> = {}): string {
  const text = JSON.stringify(body);
  const lines = Object.entries({
    host: "127.0.0.1",
    "content-type": "application/json",
    "content-length": String(Buffer.byteLength(text)),
    ...headers,
  }).map(([name, value]) => `${name}: ${value}`);
  return `POST ${path} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n${text}`;
}
