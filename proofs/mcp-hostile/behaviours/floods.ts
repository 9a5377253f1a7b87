import { must, type StdioBehaviour } from "../behaviour.ts";
import { ECHO, SILENCE, text } from "../peer.ts";

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

export const floods: readonly StdioBehaviour[] = [
  {
    name: "100,000 log messages, each another",
    long: true,
    outcome: "100 wait as data, the rest is counted as dropped",
    server: (peer) => ({
      "tools/call": async () => {
        for (let batch = 0; batch < 100; batch += 1) {
          const lines = Array.from({ length: 1_000 }, (_, index) =>
            JSON.stringify({
              jsonrpc: "2.0",
              method: "notifications/message",
              params: { level: "info", data: `${batch} ${index}` },
            }),
          );
          peer.write(`${lines.join("\n")}\n`);
          await pause(1);
        }
        return text("done");
      },
    }),
    options: { timeout: "60s" },
    async check(scene) {
      must(!(await scene.call("echo")).isError, "the call failed");
      must(scene.notifications().length <= 100, `${scene.notifications().length} wait`);
    },
  },
  {
    name: "5,000 notes that the list has changed",
    outcome: "the list is read a few times at most",
    server: (peer) => {
      let times = 0;
      return {
        "tools/list": () => {
          times += 1;
          return { tools: [ECHO] };
        },
        "tools/call": async () => {
          for (let count = 0; count < 5_000; count += 1) peer.notify("notifications/tools/list_changed");
          await pause(1_000);
          return text(String(times));
        },
      };
    },
    async check(scene) {
      const { value } = await scene.call("echo");
      must(Number(value) <= 15, `it was read ${value} times`);
    },
  },
  {
    name: "a list that says it has changed whenever it is read",
    long: true,
    outcome: "it is read at most about ten times a second; other calls go on",
    server: (peer) => {
      let times = 0;
      return {
        "tools/list": () => {
          times += 1;
          setImmediate(() => peer.notify("notifications/tools/list_changed"));
          return { tools: [ECHO] };
        },
        "tools/call": async () => {
          const before = times;
          await pause(2_000);
          return text(String(times - before));
        },
      };
    },
    async check(scene) {
      const { value } = await scene.call("echo");
      must(Number(value) <= 25, `it was read ${value} times in 2 s`);
    },
  },
  {
    name: "50,000 notes of progress within a call",
    long: true,
    outcome: "the call ends as it should; its listeners get a bounded number",
    server: (peer) => ({
      "tools/call": async ({ _meta }) => {
        for (let batch = 0; batch < 50; batch += 1) {
          for (let count = 0; count < 1_000; count += 1)
            peer.notify("notifications/progress", {
              progressToken: _meta?.progressToken,
              progress: batch * 1_000 + count,
            });
          await pause(1);
        }
        return text("done");
      },
    }),
    options: { timeout: "60s" },
    async check(scene) {
      must(!(await scene.call("echo")).isError, "the call failed");
      must(scene.updates.length <= 5_000, `${scene.updates.length} updates were passed on`);
    },
  },
  {
    name: "progress for calls that are not its own",
    outcome: "nobody sees it",
    server: (peer) => ({
      "tools/call": async () => {
        for (let token = 0; token < 50; token += 1)
          peer.notify("notifications/progress", { progressToken: token, progress: 1, message: "forged" });
        peer.notify("notifications/progress", { progressToken: { toString: 1 }, progress: "much" });
        await pause(50);
        return text("done");
      },
    }),
    async check(scene) {
      must(!(await scene.call("echo")).isError, "the call failed");
      must(!JSON.stringify(scene.goodUpdates()).includes("forged"), "another connection's call saw it");
    },
  },
  {
    name: "20 MB on stderr",
    long: true,
    outcome: "it is read and thrown away, but for the last of it",
    server: () => ({
      "tools/call": async () => {
        for (let count = 0; count < 20; count += 1) {
          if (!process.stderr.write(`${"e".repeat(999_999)}\n`))
            await new Promise((resolve) => process.stderr.once("drain", resolve));
        }
        return text("done");
      },
    }),
    options: { timeout: "60s" },
    async check(scene) {
      must(!(await scene.call("echo")).isError, "the call failed");
    },
  },
  {
    name: "a cancelled call that goes on talking",
    outcome: "the call is over at once; what comes later is nobody's",
    server: (peer) => ({
      "tools/call": ({ _meta }, id) => {
        const talk = setInterval(
          () => peer.notify("notifications/progress", { progressToken: _meta?.progressToken, progress: 1 }),
          5,
        );
        setTimeout(() => {
          clearInterval(talk);
          peer.send({ jsonrpc: "2.0", id, result: text("late") });
        }, 1_000);
        return SILENCE;
      },
    }),
    async check(scene) {
      const { failure } = await scene.call("echo", {}, { signal: AbortSignal.timeout(200) });
      must(failure?.code === "TOOL_CANCELLED", `it came to ${failure?.code}`);
      await pause(1_200);
      must(scene.status().state === "ready", `the connection is ${scene.status().state}`);
    },
  },
];
