import { spawn } from "node:child_process";
import { appendFileSync, closeSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { must, type StdioBehaviour } from "../behaviour.ts";
import { BASE, SILENCE, text } from "../peer.ts";

const BORN = join(tmpdir(), `toolrig-born-${process.pid}`);

const isAlive = (pid: number) => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

export const death: readonly StdioBehaviour[] = [
  {
    name: "death in the middle of a call",
    outcome: "TOOL_OUTCOME_UNKNOWN; it is started again, and the next call is answered",
    server: () => ({
      "tools/call": ({ arguments: { die } }) => {
        if (die !== true) return text("alive");
        setTimeout(() => process.exit(1), 20);
        return SILENCE;
      },
    }),
    async check(scene) {
      const { failure } = await scene.call("echo", { die: true });
      must(failure?.code === "TOOL_OUTCOME_UNKNOWN", `it came to ${failure?.code}`);
      await scene.until(() => scene.status().state === "ready", "it was not started again");
      must((await scene.call("echo", {})).value === "alive", "the next call was not answered");
    },
  },
  {
    name: "closes its output in a call, and lives on",
    outcome: "TOOL_OUTCOME_UNKNOWN; it is ended and started again, and the next call is answered",
    server: () => ({
      "tools/call": ({ arguments: { hush } }) => {
        if (hush !== true) return text("alive");
        setInterval(() => {}, 1_000);
        closeSync(1);
        return SILENCE;
      },
    }),
    async check(scene) {
      const { failure } = await scene.call("echo", { hush: true });
      must(failure?.code === "TOOL_OUTCOME_UNKNOWN", `it came to ${failure?.code}`);
      await scene.until(() => scene.status().state === "ready", "it was not started again");
      must((await scene.call("echo", {})).value === "alive", "the next call was not answered");
    },
  },
  {
    name: "death at once, always",
    long: true,
    outcome: "it is started again with growing pauses, not in a storm",
    server: () => {
      appendFileSync(process.env.BORN ?? "", "born\n");
      process.exit(3);
    },
    options: { env: { BORN } },
    async check(scene) {
      must(scene.status().state === "away", `it is ${scene.status().state}`);
      await new Promise((resolve) => setTimeout(resolve, 2_000));
      const times = readFileSync(BORN, "utf8").split("\n").length - 1;
      rmSync(BORN);
      must(times <= 10, `it was started ${times} times in 2 s`);
    },
  },
  {
    name: "a program that does not exist",
    outcome: "it is away with the reason",
    server: () => ({}),
    options: { command: "/nonexistent/mcp-server", args: [] },
    async check(scene) {
      const { state, reason } = scene.status();
      must(state === "away" && /ENOENT/.test(reason ?? ""), `it is ${state}: ${reason}`);
    },
  },
  {
    name: "a program that ignores the end of its input and SIGTERM",
    long: true,
    outcome: "it is killed when the connection ends",
    server: () => {
      process.on("SIGTERM", () => {});
      setInterval(() => {}, 1_000);
      return { "tools/call": () => text(String(process.pid)) };
    },
    async check(scene) {
      const pid = Number((await scene.call("echo")).value);
      must(isAlive(pid), "it is not there");
      await scene.disconnect();
      await scene.until(() => !isAlive(pid), "it is still there");
    },
  },
  {
    name: "a program that starts others and leaves them behind",
    outcome: "they end with the connection",
    server: () => {
      const left = spawn("sleep", ["1000"], { stdio: "inherit" });
      return { "tools/call": () => text(String(left.pid)) };
    },
    async check(scene) {
      const pid = Number((await scene.call("echo")).value);
      must(isAlive(pid), "it is not there");
      await scene.disconnect();
      await scene.until(() => !isAlive(pid), "what it started is still there");
    },
  },
  {
    name: "an end of its output while it goes on",
    long: true,
    outcome: "the call's outcome is unknown; the program is ended and started again",
    server: (peer) => ({
      initialize: (params, id) => BASE.initialize?.(params, id),
      "tools/call": () => {
        peer.write("");
        process.stdout.end();
        return SILENCE;
      },
    }),
    options: { idleTimeout: "3s" },
    async check(scene) {
      const { failure } = await scene.call("echo");
      must(
        failure?.code === "TOOL_OUTCOME_UNKNOWN" || failure?.code === "TOOL_TIMEOUT",
        `it came to ${failure?.code}`,
      );
    },
  },
];
