import { expect, test } from "vitest";
import { result } from "../../call/result.ts";
import { MemoryArtifactStore } from "../../stores/artifacts.ts";
import { tool } from "../../tool/define-tool.ts";
import { Executor } from "../executor.ts";

const bytes = Buffer.alloc(3_000, 7);
const text = "[application/pdf]";
const pdf = { type: "resource", uri: "a://b", mimeType: "application/pdf", text } as const;

async function resultOf(data: string, artifacts = new MemoryArtifactStore()) {
  const give = tool({
    name: "give",
    description: "Give",
    input: { type: "object" },
    execute: () => result({ content: [{ ...pdf, data }], labels: { integrity: "untrusted" } }),
  });
  const executor = new Executor({ tools: [give], maxContent: 1_000, artifacts });
  const { content } = await executor.call({ id: "call_1", name: "give" });
  return { part: content[0], artifacts };
}

test("bytes of a resource over the cap are kept as an artifact with the labels of the result", async () => {
  const { part, artifacts } = await resultOf(bytes.toString("base64"));
  expect(part).toMatchObject({ type: "resource", uri: "a://b", size: 3_000 });
  const { artifact = "", data, text: said } = part as { artifact?: string; data?: string; text?: string };
  expect(data).toBeUndefined();
  expect(said).toBe(`[application/pdf, 3000 bytes, kept as ${artifact}]`);
  expect(artifact).toBe(artifacts.put(bytes));
  expect(Buffer.concat([...(artifacts.bytes(artifact) ?? [])])).toEqual(bytes);
  expect(artifacts.read(artifact, 0, 1)?.labels).toMatchObject({ integrity: "untrusted" });
});

test("bytes of a resource within the cap stay in the result", async () => {
  const { part } = await resultOf("JVBERi0=");
  expect(part).toEqual({ ...pdf, data: "JVBERi0=" });
});

test("bytes that cannot be kept are left out, and the result says why", async () => {
  const { part } = await resultOf("no base64! ".repeat(200));
  expect(part).toMatchObject({ text: expect.stringContaining("left out: it could not be kept") });
  expect(part).not.toHaveProperty("data");
  const broken = new MemoryArtifactStore();
  broken.write = () => Promise.reject(new Error("disk full"));
  expect((await resultOf(bytes.toString("base64"), broken)).part).toMatchObject({
    text: expect.stringContaining("disk full"),
  });
});
