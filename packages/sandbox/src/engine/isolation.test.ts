import { readdirSync, readFileSync } from "node:fs";
import { afterAll, expect, test } from "vitest";
import { Sandbox } from "./sandbox.ts";

const apart = new Sandbox({ size: 1, isolation: "process", limits: { memory: 16 * 1024 * 1024 } });
const within = new Sandbox({ size: 1, limits: { memory: 16 * 1024 * 1024 } });
afterAll(() => {
  apart.close();
  within.close();
});

test("a process of its own runs the same code, and says what stands around it", async () => {
  expect(await within.protections()).toEqual([]);
  expect(await apart.protections()).toEqual(expect.arrayContaining(["process", "permission"]));
  const outcome = await apart.run({
    code: "console.log('hello'); return await tools.double(input)",
    globals: { input: 21 },
    tools: ["double"],
    onCall: ({ args }) => ({ status: "done", value: (args as number) * 2 }),
  });
  expect(outcome).toMatchObject({ status: "returned", value: 42 });
});

test("a process whose code does not end is ended, and the next run has another", async () => {
  const limits = { time: 200 };
  const code = "Array.prototype.reverse.call({ length: 2 ** 53 - 1 })";
  expect(await apart.run({ code, limits })).toMatchObject({ status: "limit", limit: "time" });
  expect(await apart.run({ code: "return 1" })).toMatchObject({ status: "returned", value: 1 });
});

test("a run that was paused in a thread goes on in a process", async () => {
  const paused = await within.run({
    code: "return await tools.ask({})",
    tools: ["ask"],
    onCall: () => ({ status: "waiting" }),
  });
  if (paused.status !== "paused") throw new Error(`it is ${paused.status}`);
  const answers = [{ id: 1, answer: { status: "done", value: "yes" } }] as const;
  expect(await apart.resume(paused.snapshot, { answers })).toMatchObject({
    status: "returned",
    value: "yes",
  });
});

test.runIf(process.platform === "linux")("the bounds of the process hold in the kernel", async () => {
  let limits = "";
  await apart.run({
    code: "await tools.look({})",
    tools: ["look"],
    onCall() {
      limits = limitsOfWorkers();
      return { status: "done" };
    },
  });
  if (!(await apart.protections()).includes("prlimit")) return;
  expect(limits).toMatch(/Max file size +0 +0/);
  expect(limits).not.toMatch(/Max data size +unlimited/);
});

/** Of the processes that run the engine: found by what they were started with. */
function limitsOfWorkers(): string {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const command = readFileSync(`/proc/${pid}/cmdline`, "utf8");
        return command.includes("engine/worker/process") ? readFileSync(`/proc/${pid}/limits`, "utf8") : [];
      } catch {
        return [];
      }
    })
    .join("\n");
}
