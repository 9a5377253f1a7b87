import { ToolrigError } from "@toolrig/core";
import { scriptedTool } from "@toolrig/core/testing";
import { extractStream } from "@toolrig/extract";
import * as nats from "@toolrig/nats";
import { expect, test } from "vitest";
import * as door from "./index.ts";

/**
 * These take data of the program's own making, or are made by others, and are asked often: their types are their check.
 */
const TAKES_DATA = new Set([
  "ReplayCrash",
  "textOf",
  "orThrow",
  "repairTranscript",
  "transcriptProblems",
  "diffOf",
  "patchOf",
  "unifiedDiff",
  "consumerName",
  "ToolFailure",
  "observed",
  // Made by their own `connect` or `open`.
  "NatsExecutor",
  "DeadLetters",
  "FleetOutcomes",
  "KvWaits",
  "KvLedger",
]);

const makers = Object.entries({ ...door, ...nats, extractStream, scriptedTool }).filter(
  (each): each is [string, (...given: unknown[]) => unknown] =>
    typeof each[1] === "function" && !TAKES_DATA.has(each[0]),
);

const GIVEN: readonly unknown[][] = [[undefined], [null], [5], [{}], [{}, null], [[], null]];

async function make(maker: (...given: unknown[]) => unknown, given: unknown[]): Promise<void> {
  const isClass = /^class\b/.test(Function.prototype.toString.call(maker));
  const made = isClass ? Reflect.construct(maker, given) : maker(...given);
  if (made instanceof Promise) await made;
  await (made as { close?(): unknown } | undefined)?.close?.();
}

test.each(makers)("%s says what is wrong with options that are none", async (_name, maker) => {
  for (const given of GIVEN) {
    try {
      await make(maker, given);
    } catch (error) {
      expect(error, `given ${JSON.stringify(given)}`).toSatisfy(ToolrigError.isInstance);
      expect((error as Error).message).toMatch(/must be|takes|expected|has no|is not|cannot/i);
    }
  }
});

test("a fleet's executor says so when it is connected with nothing", async () => {
  await expect(nats.NatsExecutor.connect(undefined as never)).rejects.toThrow(
    "nats must be options of a connection",
  );
  for (const given of [null, 5])
    await expect(nats.NatsExecutor.connect(given as never)).rejects.toThrow(
      "The options of NatsExecutor must be an object",
    );
});
