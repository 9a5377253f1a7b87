/**
 * One tool, a call that the model mangled, and its record.
 *
 *     npm run example quick-start
 *
 * The model is scripted; a real one is `engine: aiSdkEngine(openai("gpt-5"))`, with any model of the AI SDK. It writes what is almost
 * JSON, with a number in quotes. You see what was mended, and that it is kept:
 *
 *     Retries are covered on 2 pages.
 *
 *     the model wrote   {query: 'retries', limit: '2',}
 *     the tool got      {"query":"retries","limit":2}
 *     what was mended   unquoted-key, quote, trailing-comma, string-to-number
 *     it ended          ok, attempts: 1
 */
import { rig, scriptedEngine, tool } from "toolrig";
import { z } from "zod";

const searchDocs = tool({
  name: "search_docs",
  description: "Search the documentation",
  input: z.object({ query: z.string().min(1), limit: z.number().int().max(50).default(10) }),
  safety: { sideEffects: "read", idempotent: true },
  timeout: "10s",
  execute: ({ query, limit }) => Array.from({ length: limit }, (_, page) => `page ${page + 1} on ${query}`),
});

const engine = scriptedEngine([
  { calls: [{ name: "search_docs", arguments: "{query: 'retries', limit: '2',}" }] },
  "Retries are covered on 2 pages.",
]);

// A path in the place of ":memory:" keeps records, runs and questions beyond the end of the process.
const docs = rig({ tools: [searchDocs], engine, store: ":memory:" });
const { text, runId } = await docs.run("Where do we explain retries?").outcome;
console.log(text);

await docs.executor.flush();
for (const { rawArguments, args, result } of docs.store.records.all({ runId })) {
  console.log(`
the model wrote   ${rawArguments}
the tool got      ${JSON.stringify(args)}
what was mended   ${[...new Set(result.decoded.repairs.map(({ kind }) => kind))].join(", ")}
it ended          ${result.failure?.code ?? "ok"}, attempts: ${result.attempts}`);
}
await docs.close();
