import { relative } from "node:path";
import type { Reporter, TestCase, TestModule } from "vitest/node";

const SLOWEST = 20;

/** After the last test: what took longest, what was skipped, and what was not shown, with the reason where there is one. */
export class SuiteSummary implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const skipped = modules.flatMap((module) => [...module.children.allTests("skipped")]);
    if (modules.length > SLOWEST) {
      print("Slowest files", slowest(modules.map((module) => [pathOf(module), secondsOf(module)])));
      print("Slowest proofs", slowest(proofsOf(modules)));
    }
    if (skipped.length > 0) print(`Skipped: ${skipped.length} tests`, reasonsOf(skipped));
    print("Not shown by a proof", unshownIn(modules));
  }
}

function print(title: string, lines: readonly string[]): void {
  if (lines.length > 0) console.log([`\n ${title}`, ...lines.map((line) => `   ${line}`)].join("\n"));
}

function slowest(timed: readonly (readonly [name: string, seconds: number])[]): string[] {
  const sorted = timed.toSorted(([, a], [, b]) => b - a).slice(0, SLOWEST);
  return sorted.map(([name, seconds]) => `${seconds.toFixed(1).padStart(7)} s  ${name}`);
}

function pathOf({ moduleId }: TestModule): string {
  return relative(process.cwd(), moduleId);
}

/** From the start of its process to its last test. */
function secondsOf(module: TestModule): number {
  const { duration, collectDuration, setupDuration, prepareDuration, environmentSetupDuration } =
    module.diagnostic();
  return (duration + collectDuration + setupDuration + prepareDuration + environmentSetupDuration) / 1_000;
}

function proofsOf(modules: readonly TestModule[]): [string, number][] {
  const proofs = modules.filter((module) => pathOf(module).startsWith("proofs/"));
  return proofs.flatMap((module) =>
    [...module.children.allTests()].map((test): [string, number] => [
      test.name,
      (test.diagnostic()?.duration ?? 0) / 1_000,
    ]),
  );
}

/** Remarks of passed proofs about rows that could not be shown here. */
function unshownIn(modules: readonly TestModule[]): string[] {
  const tests = modules.flatMap((module) => [...module.children.allTests()]);
  return tests.flatMap((test) =>
    test
      .annotations()
      .filter(({ type }) => type === "skipped")
      .map(({ message }) => `${test.name}: ${message}`),
  );
}

/** One line a group of a file. */
function reasonsOf(skipped: readonly TestCase[]): string[] {
  const counts = new Map<string, number>();
  for (const test of skipped) {
    const result = test.result();
    const note = result.state === "skipped" ? result.note : undefined;
    const group = test.parent.type === "suite" ? test.parent.fullName : test.name;
    const line = `${pathOf(test.module)}: ${note ?? group}`;
    counts.set(line, (counts.get(line) ?? 0) + 1);
  }
  return Array.from(counts, ([line, count]) => `${String(count).padStart(4)}  ${line}`);
}
