import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createOpenAI } from "@ai-sdk/openai";
import { type Duration, Registry, tool } from "@toolrig/core";
import { expect, test } from "vitest";
import type { AiSdkEmbeddingModel } from "./embedder.ts";
import { selectTools } from "./select-tools.ts";

/** Knows two things: whether a text is about travelling, and whether it is about money. */
function vectorOf(text: string): number[] {
  return [/taxi|cab|ride/i.test(text) ? 1 : 0, /transfer|cash|wire/i.test(text) ? 1 : 0, 0.1];
}

function named(name: string, description = "Does it") {
  return tool({ name, description, input: { type: "object" }, execute: () => "ok" });
}

const tools = () => [named("order_taxi"), named("transfer"), named("wirebender", "Bends steel")];
const namesOf = (found: readonly { name: string }[]) => found.map(({ name }) => name);

/** An embedder that keeps what it was asked. */
function listening(answer: (texts: string[]) => PromiseLike<number[][]> | number[][]) {
  const asked: string[][] = [];
  const embed = async (texts: string[]) => {
    asked.push(texts);
    return answer(texts);
  };
  return { asked, embed };
}

test("finds a tool that shares no word with the request", async () => {
  const { embed } = listening((texts) => texts.map(vectorOf));
  expect(selectTools(tools(), "I need a cab")).toEqual([]);
  expect(namesOf(await selectTools(tools(), "I need a cab", 1, { embed }))).toEqual(["order_taxi"]);
});

test("embeds a definition once, whatever list it is on and whoever asks at the same time", async () => {
  const { asked, embed } = listening((texts) => texts.map(vectorOf));
  const registry = new Registry(tools());
  const search = () => selectTools(registry, "cash", 1, { embed });
  await Promise.all([search(), search(), search()]);
  registry.add(named("send_mail", "Send a mail"));
  await search();
  await selectTools(tools(), "cash", 1, { embed });
  const definitions = asked.flat().filter((text) => text !== "cash");
  expect(definitions.sort()).toEqual([
    "order taxi: Does it",
    "send mail: Send a mail",
    "transfer: Does it",
    "wirebender: Bends steel",
  ]);
});

test("a model gets no more texts at once than it takes", async () => {
  const sizes: number[] = [];
  const model: AiSdkEmbeddingModel = {
    specificationVersion: "v3",
    provider: "here",
    modelId: "two",
    maxEmbeddingsPerCall: Promise.resolve(2),
    async doEmbed({ values }) {
      sizes.push(values.length);
      return { embeddings: values.map(vectorOf) };
    },
  };
  const five = [...tools(), named("first"), named("second")];
  expect(namesOf(await selectTools(five, "cab", 1, { embed: model }))).toEqual(["order_taxi"]);
  expect(sizes.sort()).toEqual([1, 1, 2, 2]);
});

test("a function gets a hundred texts at once at most", async () => {
  const { asked, embed } = listening((texts) => texts.map(vectorOf));
  await selectTools(
    Array.from({ length: 250 }, (_, index) => named(`tool_${index}`)),
    "cab",
    1,
    { embed },
  );
  expect(asked.map(({ length }) => length).sort((a, b) => a - b)).toEqual([1, 50, 100, 100]);
});

test.each<[string, (texts: string[]) => PromiseLike<number[][]> | number[][], RegExp]>([
  ["fails", () => Promise.reject(new Error("no credit")), /no credit/],
  ["returns too few vectors", () => [], /as many vectors; got 0/],
  ["returns no list", () => "sorry" as never, /as many vectors; got sorry/],
  ["returns vectors of 0", (texts) => texts.map(() => [0, 0]), /not all 0/],
  ["returns no numbers", (texts) => texts.map(() => ["a", "b"]) as never, /not all 0/],
  [
    "changes its mind",
    (texts) => texts.map((text) => [1, ...vectorOf(text)].slice(texts.length)),
    /dimensions/,
  ],
])("an embedder that %s is done without and left alone for a while", async (_, answer, problem) => {
  const { asked, embed } = listening(answer);
  const errors: unknown[] = [];
  const search = () =>
    selectTools(tools(), "taxi", 1, { embed, onEmbedError: (error) => errors.push(error) });
  expect(namesOf(await search())).toEqual(["order_taxi"]);
  expect(String(errors[0])).toMatch(problem);
  const calls = asked.length;
  expect(namesOf(await search())).toEqual(["order_taxi"]);
  expect(asked).toHaveLength(calls);
});

test("an embedder that hangs is not waited for beyond the limit", async () => {
  const { embed } = listening(() => new Promise<number[][]>(() => {}));
  const errors: unknown[] = [];
  const found = await selectTools(tools(), "taxi", 1, {
    embed,
    embedTimeout: 20,
    onEmbedError(error) {
      errors.push(error);
      throw new Error("nobody minds");
    },
  });
  expect(namesOf(found)).toEqual(["order_taxi"]);
  expect(String(errors[0])).toContain("took longer than 20ms");
});

test("definitions that take their time are there for a later request", async () => {
  let release = () => {};
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  const { asked, embed } = listening(async (texts) => {
    if (texts.length > 1) await gate;
    return texts.map(vectorOf);
  });
  const search = (embedTimeout: Duration) => selectTools(tools(), "cab", 1, { embed, embedTimeout });
  expect(await search("20ms")).toEqual([]);
  release();
  expect(namesOf(await search("1m"))).toEqual(["order_taxi"]);
  expect(asked.filter(({ length }) => length > 1)).toHaveLength(1);
});

test("an empty request is not embedded: models refuse it", async () => {
  const { asked, embed } = listening((texts) => texts.map(vectorOf));
  expect(await selectTools(tools(), " ", 1, { embed })).toEqual([]);
  expect(asked).toEqual([]);
});

test("what is not an embedder is refused", () => {
  expect(() => selectTools(tools(), "cab", 1, { embed: "text-embedding-3-small" as never })).toThrow(
    /^embed must be an AI SDK embedding model or a function/,
  );
});

test("an embedding model of the AI SDK is taken as it is", async () => {
  const server = createServer(async (request, response) => {
    const { input } = JSON.parse((await request.toArray()).join("")) as { input: string[] };
    const data = input.map((text, index) => ({ object: "embedding", index, embedding: vectorOf(text) }));
    response.setHeader("content-type", "application/json");
    response.end(
      JSON.stringify({ object: "list", data, model: "m", usage: { prompt_tokens: 1, total_tokens: 1 } }),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  try {
    const openai = createOpenAI({ baseURL: `http://127.0.0.1:${port}/v1`, apiKey: "none" });
    const embed = openai.embedding("text-embedding-3-small");
    const found = await selectTools(tools(), "I need a cab", 1, { embed, embedTimeout: "1m" });
    expect(namesOf(found)).toEqual(["order_taxi"]);
  } finally {
    server.close();
  }
});
