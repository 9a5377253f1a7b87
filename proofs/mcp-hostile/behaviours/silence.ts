import { must, type StdioBehaviour } from "../behaviour.ts";
import { SILENCE } from "../peer.ts";

const never = () => SILENCE;

export const silence: readonly StdioBehaviour[] = [
  {
    name: "no answer to its greeting",
    outcome: "after the limit of connecting it is away; it is tried again later",
    server: () => ({ initialize: never }),
    options: { connectTimeout: "1s" },
    async check(scene) {
      must(scene.status().state === "away", `it is ${scene.status().state}`);
    },
  },
  {
    name: "no answer to the request for its list",
    outcome: "after the limit of connecting it is away; it is tried again later",
    server: () => ({ "tools/list": never }),
    options: { connectTimeout: "1s" },
    async check(scene) {
      must(scene.status().state === "away", `it is ${scene.status().state}`);
    },
  },
  {
    name: "no answer to a call",
    outcome: "TOOL_TIMEOUT after the limit of silence; the connection stays",
    server: () => ({ "tools/call": never }),
    options: { idleTimeout: "500ms" },
    async check(scene) {
      const { failure } = await scene.call("echo");
      must(failure?.code === "TOOL_TIMEOUT", `it came to ${failure?.code}`);
      must(scene.status().state === "ready", `the connection is ${scene.status().state}`);
    },
  },
  {
    name: "progress for ever and no answer",
    outcome: "TOOL_TIMEOUT after the absolute limit",
    server: (peer) => ({
      "tools/call": ({ _meta }) => {
        let progress = 0;
        setInterval(
          () =>
            peer.notify("notifications/progress", {
              progressToken: _meta?.progressToken,
              progress: progress++,
            }),
          20,
        );
        return SILENCE;
      },
    }),
    options: { idleTimeout: "10s", timeout: "1500ms" },
    async check(scene) {
      const { failure } = await scene.call("echo");
      must(failure?.code === "TOOL_TIMEOUT", `it came to ${failure?.code}`);
      must(scene.updates.length > 0, "there was no progress");
    },
  },
  {
    name: "100 calls that are never answered, all cancelled",
    outcome: "each is over at once, and the connection stays",
    server: () => ({ "tools/call": never }),
    async check(scene) {
      const calls = Array.from({ length: 100 }, () =>
        scene.call("echo", {}, { signal: AbortSignal.timeout(200) }),
      );
      const outcomes = new Set((await Promise.all(calls)).map(({ failure }) => failure?.code));
      must(outcomes.size === 1 && outcomes.has("TOOL_CANCELLED"), [...outcomes].join(", "));
      must(scene.status().state === "ready", `the connection is ${scene.status().state}`);
    },
  },
];
