import { context, type SpanContext } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";

/** An SDK that keeps its spans, as a process would have registered one. */
export function tracing() {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  const exporter = new InMemorySpanExporter();
  const tracerProvider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  const all = () => exporter.getFinishedSpans();
  return {
    tracerProvider,
    all,
    tree: () => treeOf(all()),
    named: (name: string) => all().filter((span) => span.name === name),
    one(name: string): ReadableSpan {
      const found = all().filter((span) => span.name === name);
      if (found.length !== 1)
        throw new Error(`${found.length} spans ${name} of ${all().map((each) => each.name)}`);
      return found[0] as ReadableSpan;
    },
  };
}

/** A span as plain data, for a test to print in another process. */
export interface PlainSpan {
  name: string;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  links: string[];
  attributes: Record<string, unknown>;
}

export function plainSpan(span: ReadableSpan): PlainSpan {
  const { traceId, spanId } = span.spanContext();
  return {
    name: span.name,
    traceId,
    spanId,
    ...(span.parentSpanContext !== undefined && { parentSpanId: span.parentSpanContext.spanId }),
    links: span.links.map(({ context: linked }: { context: SpanContext }) => linked.spanId),
    attributes: span.attributes,
  };
}

/** Names, each two spaces deeper than its parent, in the order in which they began. */
function treeOf(spans: readonly ReadableSpan[]): string[] {
  const ids = new Set(spans.map((span) => span.spanContext().spanId));
  const begun = [...spans].sort((a, b) => a.startTime[0] - b.startTime[0] || a.startTime[1] - b.startTime[1]);
  const below = (parent: string | undefined, depth: number): string[] =>
    begun
      .filter(({ parentSpanContext }) => {
        const id = parentSpanContext?.spanId;
        return parent === undefined ? id === undefined || !ids.has(id) : id === parent;
      })
      .flatMap((span) => [
        `${"  ".repeat(depth)}${span.name}`,
        ...below(span.spanContext().spanId, depth + 1),
      ]);
  return below(undefined, 0);
}
