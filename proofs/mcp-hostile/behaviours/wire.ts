import { must, type StdioBehaviour } from "../behaviour.ts";
import type { Peer } from "../peer.ts";
import { BASE, SILENCE, text } from "../peer.ts";
import type { Scene } from "../scene.ts";

/** A server that writes garbage before a proper answer. */
function garbage(name: string, outcome: string, write: (peer: Peer, id: unknown) => void): StdioBehaviour {
  return {
    name,
    outcome,
    server: (peer) => ({
      "tools/call": (_, id) => {
        write(peer, id);
        return text("the answer");
      },
    }),
    async check(scene: Scene) {
      const { value, failure } = await scene.call("echo");
      must(value === "the answer", `it came to ${failure?.message ?? JSON.stringify(value)}`);
      must(scene.status().state === "ready", `the connection is ${scene.status().state}`);
    },
  };
}

/** A server over stdio whose answer to a call cannot be read. `write` gets the text of the id. */
function unreadable(name: string, write: (id: string) => string): StdioBehaviour {
  return {
    name: `answers a call with ${name}`,
    outcome: "the call's outcome is unknown at once, with the reason; the connection stays",
    server: (peer) => ({
      "tools/call": ({ arguments: { n } }, id) => {
        if (n !== undefined) return text("fine");
        peer.write(`${write(JSON.stringify(id))}\n`);
        return SILENCE;
      },
    }),
    async check(scene) {
      const { failure } = await scene.call("echo");
      must(
        failure?.code === "TOOL_OUTCOME_UNKNOWN",
        `it came to ${failure?.code ?? "success"} ${failure?.message ?? ""}`,
      );
      must((await scene.call("echo", { n: 1 })).value === "fine", "the next call failed");
    },
  };
}

const SKIPPED = "it is skipped, and the answer after it counts";

export const wire: readonly StdioBehaviour[] = [
  garbage("lines that are no JSON", SKIPPED, (peer) => peer.write("{\n}}\nnot json\n\u0000\n[1,2\n")),
  garbage("bytes that are no UTF-8", SKIPPED, (peer) =>
    peer.write(Buffer.from([0xff, 0xfe, 0x80, 0xc0, 10, 0xed, 0xa0, 0x80, 10])),
  ),
  garbage("values that are no messages", SKIPPED, (peer) =>
    peer.write('null\n1\n"text"\n[]\n[{"jsonrpc":"2.0"}]\n{}\n'),
  ),
  garbage("messages with and without everything", SKIPPED, (peer) => {
    peer.send({ jsonrpc: "1.0", id: 1, result: {} });
    peer.send({ jsonrpc: "2.0", id: null, result: {} });
    peer.send({ jsonrpc: "2.0", id: { a: 1 }, result: {}, error: {} });
    peer.send({ jsonrpc: "2.0", method: 7 });
    peer.send({ jsonrpc: "2.0", id: [], method: "__proto__" });
  }),
  garbage("answers to what was never asked", SKIPPED, (peer) => {
    for (let id = 1_000; id < 1_100; id += 1) peer.send({ jsonrpc: "2.0", id, result: text("forged") });
    for (const id of ["1", -1, 1.5, 1e300])
      peer.send({ jsonrpc: "2.0", id, error: { code: 1, message: "forged" } });
  }),
  garbage("a message nested 20,000 deep", SKIPPED, (peer) =>
    peer.write(`{"jsonrpc":"2.0","method":"x","params":${"[".repeat(20_000)}${"]".repeat(20_000)}}\n`),
  ),
  garbage("answers whose id is a text", SKIPPED, (peer, id) =>
    peer.send({ jsonrpc: "2.0", id: String(id), result: text("forged") }),
  ),
  unreadable("a name twice", (id) => `{"jsonrpc":"2.0","id":${id},"result":{"content":[],"content":[]}}`),
  unreadable(
    "a whole number that would become another",
    (id) =>
      `{"jsonrpc":"2.0","id":${id},"result":{"content":[],"structuredContent":{"id":9007199254740993}}}`,
  ),
  unreadable("null", (id) => `{"jsonrpc":"2.0","id":${id},"result":null}`),
  unreadable(
    "an error whose code is a text",
    (id) => `{"jsonrpc":"2.0","id":${id},"error":{"code":"x","message":"m"}}`,
  ),
  unreadable(
    "a result and an error",
    (id) => `{"jsonrpc":"2.0","id":${id},"result":{"content":[]},"error":{"code":1,"message":"m"}}`,
  ),
  unreadable(
    "a result nested 150 deep",
    (id) => `{"jsonrpc":"2.0","id":${id},"result":{"content":[],"x":${"[".repeat(150)}${"]".repeat(150)}}}`,
  ),
  {
    name: "two answers to one question",
    outcome: "the first one counts",
    server: (peer) => ({
      "tools/call": (_, id) => {
        peer.send({ jsonrpc: "2.0", id, result: text("first") });
        peer.send({ jsonrpc: "2.0", id, result: text("second") });
        return SILENCE;
      },
    }),
    async check(scene) {
      for (let times = 0; times < 5; times += 1)
        must((await scene.call("echo")).value === "first", "another one counted");
      must(scene.status().state === "ready", `the connection is ${scene.status().state}`);
    },
  },
  {
    name: "answers in place of another's, ahead of time",
    outcome: "an answer without a question is dropped; each call gets its own or fails",
    server: (peer) => ({
      "tools/call": ({ arguments: { n } }, id) => {
        peer.send({ jsonrpc: "2.0", id: Number(id) + 1, result: text("forged") });
        return text(String(n));
      },
    }),
    async check(scene) {
      for (let n = 0; n < 5; n += 1)
        must((await scene.call("echo", { n })).value === String(n), "a forged answer counted");
    },
  },
  {
    name: "a line of 20 MB",
    outcome: "the connection is ended at 4 MB; the call's outcome is unknown",
    server: (peer) => ({
      "tools/call": () => {
        peer.write("x".repeat(20_000_000));
        return SILENCE;
      },
    }),
    async check(scene) {
      const { failure } = await scene.call("echo");
      must(failure?.code === "TOOL_OUTCOME_UNKNOWN", `it came to ${failure?.code}`);
    },
  },
  {
    name: "a line that never ends, byte by byte",
    long: true,
    outcome: "the call ends by its deadline",
    server: (peer) => ({
      "tools/call": () => {
        setInterval(() => peer.write("x"), 1);
        return SILENCE;
      },
    }),
    options: { timeout: "1s" },
    async check(scene) {
      const { failure } = await scene.call("echo");
      must(
        failure?.code === "TOOL_TIMEOUT" || failure?.code === "TOOL_OUTCOME_UNKNOWN",
        `it came to ${failure?.code}`,
      );
    },
  },
  {
    name: "a version of the protocol that nobody speaks",
    outcome: "the connection is away with a reason",
    server: () => ({
      initialize: () => ({ ...(BASE.initialize?.({}, 0) as object), protocolVersion: "1999-01-01" }),
    }),
    async check(scene) {
      const { state, reason } = scene.status();
      must(state === "away" && /version/i.test(reason ?? ""), `it is ${state}: ${reason}`);
    },
  },
  {
    name: "a greeting that is none",
    outcome: "the connection is away with a reason",
    server: () => ({ initialize: () => ({ protocolVersion: 7, capabilities: "all", serverInfo: null }) }),
    async check(scene) {
      const { state, reason } = scene.status();
      must(state === "away" && reason !== undefined, `it is ${state}`);
    },
  },
];
