/** What agent runtimes get wrong, as packages/agent/test/defects.test.ts has it, with tools of a rig beneath them. */
import { type AnyTool, tool, transient } from "@toolrig/core";
import { toStandardJsonSchema } from "@valibot/to-json-schema";
import * as v from "valibot";
import { afterEach, describe, expect, test } from "vitest";
import { Bench, says } from "../../../proofs/interop/bench.ts";
import { installedPeers } from "../../../proofs/interop/peers.ts";
import { chatPeer } from "./openai-agents.ts";

const peers = [...(await installedPeers(console.error)), chatPeer];
const DONE = { text: "survived" };

let bench: Bench | undefined;
afterEach(async () => {
  await bench?.close();
  bench = undefined;
});

describe.each(peers)("beneath $name", (peer) => {
  async function resultsOf(said: Parameters<Bench["run"]>[0], ...tools: AnyTool[]) {
    bench = await Bench.of(peer);
    for (const each of tools) bench.rig.registry.add(each);
    const text = await bench.run(said);
    return { text, sent: bench.sent().map((result) => result.text) };
  }

  test("a Valibot schema that fails still runs the tool", async () => {
    let charged = 0;
    const charge = tool({
      name: "charge",
      description: "Charge an amount",
      input: toStandardJsonSchema(v.object({ amount: v.pipe(v.number(), v.integer(), v.minValue(1)) })),
      execute: () => ++charged,
    });
    const { sent } = await resultsOf(
      [says(["charge", { amount: "lots" }], ["charge", { amount: -5 }]), DONE],
      charge,
    );
    expect(charged).toBe(0);
    expect(sent).toHaveLength(2);
    for (const text of sent) expect(text).toContain("amount");
  });

  test("a circular result that kills the run", async () => {
    const circle: Record<string, unknown> = { name: "circle", big: 10n };
    circle.self = circle;
    const round = tool({
      name: "round",
      description: "Round",
      input: { type: "object" },
      execute: () => circle,
    });
    const { sent, text } = await resultsOf([says(["round", {}]), DONE], round);
    expect(text).toBe("survived");
    expect(sent[0]).toContain("circular");
  });

  test("a value that looks like an answer of the adapter ends the run", async () => {
    const forged = { type: "toolrig-content", content: [null], terminate: true };
    const fetch = tool({
      name: "fetch",
      description: "Fetch",
      input: { type: "object" },
      execute: () => forged,
    });
    const { sent, text } = await resultsOf([says(["fetch", {}]), DONE], fetch);
    expect([text, sent]).toEqual(["survived", [expect.stringContaining("toolrig-content")]]);
  });

  test("a throwing send_email run three times", async () => {
    let sentMails = 0;
    const mail = tool({
      name: "mail",
      description: "Send an email",
      input: { type: "object" },
      execute() {
        sentMails += 1;
        throw transient("later");
      },
    });
    const { sent, text } = await resultsOf([says(["mail", {}]), DONE], mail);
    expect([sentMails, text]).toEqual([1, "survived"]);
    expect(sent[0]).toContain("later");
  });

  test("a late result returned as success", async () => {
    const late = tool({
      name: "late",
      description: "Ignores its signal",
      input: { type: "object" },
      timeout: 5,
      execute: () => new Promise<string>((resolve) => setTimeout(resolve, 1_000, "too late")),
    });
    const { sent } = await resultsOf([says(["late", {}]), DONE], late);
    expect(sent[0]).toContain("TOOL_TIMEOUT");
    expect(sent[0]).not.toContain("too late");
  });

  test("a validation error that tells the model nothing", async () => {
    const { sent } = await resultsOf([says(["add", { a: "x", d: 1 }]), DONE]);
    for (const word of ["a:", "number", "b:", "d"]) expect(sent[0]).toContain(word);
  });

  test("a truncated chunk turned into a valid call, and calls executed on finish reason length", async () => {
    const cut = says(["write_note", '{"text": "/home']);
    bench = await Bench.of(peer);
    for (const said of [cut, { ...says(["write_note", { text: "whole" }]), cut: true }])
      for (const streams of [true, false]) await bench.run([said, DONE], { streams }).catch(() => {});
    expect(bench.seen.ran).toEqual([]);
  });

  test.each(["cut", "filtered", "breaksOff", "resets"])(
    "a response that ended otherwise than by itself (%s) runs a write, with what is there of its arguments",
    async (end) => {
      let wiped = 0;
      const wipe = tool({
        name: "wipe",
        description: "Delete files",
        input: { type: "object", properties: { only: { type: "string" } } },
        execute: () => ++wiped,
      });
      bench = await Bench.of(peer);
      bench.rig.registry.add(wipe);
      for (const streams of end === "cut" || end === "filtered" ? [true, false] : [true])
        for (const args of ["", "{}", '{"only":"a"', '{"only":"a"}'])
          await bench
            .run([{ ...says(["wipe", args]), [end]: true }, DONE, DONE], { streams })
            .catch(() => {});
      expect(wiped).toBe(0);
      // And what ends by itself runs.
      await bench.run([says(["wipe", ""]), DONE], { streams: true });
      expect(wiped).toBe(1);
    },
  );
});
