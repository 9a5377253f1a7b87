/** `node mcp-child.ts FILE`: serves a tool over stdio, and writes its spans into a file, one a line. */
import { appendFileSync } from "node:fs";
import { BasicTracerProvider, SimpleSpanProcessor, type SpanExporter } from "@opentelemetry/sdk-trace-base";
import { Executor, tool } from "@toolrig/core";
import { mcpServer } from "@toolrig/mcp";
import { telemetry } from "../src/telemetry.ts";
import { plainSpan } from "./spans.ts";

const [, , file = ""] = process.argv;
const exporter: SpanExporter = {
  export(spans, done) {
    for (const span of spans) appendFileSync(file, `${JSON.stringify(plainSpan(span))}\n`);
    done({ code: 0 });
  },
  shutdown: async () => {},
};
const tracerProvider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
const greet = tool({
  name: "greet",
  description: "Greet",
  input: { type: "object" },
  execute: () => "hello",
});
const executor = new Executor({ tools: [greet], tracer: telemetry({ tracerProvider }) });
await mcpServer({ executor }, { name: "child", version: "1.0.0" }).stdio();
