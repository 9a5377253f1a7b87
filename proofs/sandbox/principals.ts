/** Scripts of one principal that take all they can get: those of another come through before any of them ends. */
import { Executor, tool } from "@toolrig/core";
import { runCode } from "@toolrig/sandbox";
import type { ProofMode, Verdict } from "../proof.ts";

interface Greed {
  name: string;
  code: string;
  count: number;
}

const GREEDS: readonly Greed[] = [
  {
    name: "texts that keep the parser busy",
    code: `return ${"<T>(".repeat(40)}1${")".repeat(40)}`,
    count: 3,
  },
  { name: "scripts that compute for ever", code: "for (;;);", count: 20 },
  { name: "scripts that wait for a slow tool", code: "return await tools.wait({})", count: 120 },
];

export async function principals(_mode: ProofMode, print: (line: string) => void): Promise<Verdict> {
  let failed = 0;
  for (const greed of GREEDS) {
    const miss = await missOf(greed);
    if (miss !== undefined) failed += 1;
    print(
      `${miss === undefined ? "held" : "MISS"}  ${greed.count} ${greed.name} of another principal${miss ?? ""}`,
    );
  }
  return { passed: GREEDS.length - failed, failed };
}

async function missOf({ code, count }: Greed): Promise<string | undefined> {
  const wait = tool({
    name: "wait",
    description: "Never answers",
    input: { type: "object" },
    safety: { sideEffects: "read" },
    timeout: "1h",
    execute: (_, { signal }) =>
      new Promise<string>((resolve) => signal.addEventListener("abort", () => resolve("ended"))),
  });
  const executor = new Executor({ tools: [wait, runCode({ tools: [wait] }, { limits: { time: "60s" } })] });
  const run = (who: string, text: string, signal?: AbortSignal) =>
    executor.call(
      { id: "call", name: "run_code", arguments: { code: text } },
      { principal: { id: who }, ...(signal !== undefined && { signal }) },
    );
  const leaving = new AbortController();
  let ended = 0;
  const greedy = Array.from({ length: count }, async () => {
    const { failure } = await run("eve", code, leaving.signal);
    // Too many of hers are refused, which delays nobody.
    if (failure?.kind !== "unavailable" && !leaving.signal.aborted) ended += 1;
  });
  const { value, failure } = await run("bob", "return 'innocent' as string");
  const before = ended;
  leaving.abort();
  await Promise.all(greedy);
  if (value !== "innocent") return `: the other's script failed: ${failure?.message}`;
  return before === 0 ? undefined : `: ${before} of them ended first`;
}
