import { Type as Type034 } from "@sinclair/typebox";
import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { type } from "arktype";
import { Type } from "typebox";
import * as v from "valibot";
import { z } from "zod";
import { success } from "../call/result.ts";
import { transient } from "../failure/failure.ts";
import { tool } from "./define-tool.ts";
import type { OutputOf, Tool } from "./tool.ts";

/** Type tests: this file fails to compile when what `tool()` infers changes. It is never run. */
type Equal<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : [expected: B, received: A];

function same<A, B>(_same: Equal<A, B>): void {}

const common = { name: "search", description: "Searches" };

const zod = tool({
  ...common,
  input: z.object({ query: z.string(), limit: z.number().optional(), when: z.string().default("now") }),
  locks: ({ query }) => [query],
  approval: ({ limit }) => (limit ?? 0) > 5,
  reconcile: ({ query }) => ({ outcome: "completed", value: query }),
  execute(args, context) {
    same<typeof args, { query: string; limit?: number | undefined; when: string }>(true);
    same<typeof context.signal, AbortSignal>(true);
    return { hits: [args.query] };
  },
});
same<typeof zod, Tool<{ query: string; limit?: number | undefined; when: string }, { hits: string[] }>>(true);
same<OutputOf<typeof zod>, { hits: string[] }>(true);

tool({
  ...common,
  input: z.object({ at: z.string().transform((text) => new Date(text)) }),
  execute: ({ at }) => same<typeof at, Date>(true),
});

tool({
  ...common,
  input: toStandardJsonSchema(v.object({ query: v.string(), limit: v.optional(v.number()) })),
  execute: (args) => same<typeof args, { query: string; limit?: number | undefined }>(true),
});

tool({
  ...common,
  input: type({ query: "string", "limit?": "number" }),
  execute: (args) => same<typeof args, { query: string; limit?: number }>(true),
});

tool({
  ...common,
  input: Type034.Object({ query: Type034.String() }),
  execute: (args) => same<typeof args, { query: string }>(true),
});

tool({
  ...common,
  input: Type.Object({ query: Type.String(), tags: Type.Optional(Type.Array(Type.String())) }),
  execute: (args) => same<typeof args, { query: string; tags?: string[] }>(true),
});

tool({
  ...common,
  input: {
    type: "object",
    properties: { unit: { enum: ["c", "f"] }, days: { type: "integer" } },
    required: ["unit"],
  },
  execute: (args) => same<typeof args, { unit: "c" | "f"; days?: number }>(true),
});

const later = tool({ ...common, input: z.object({}), execute: async () => 5 });
same<OutputOf<typeof later>, number>(true);

const streaming = tool({
  ...common,
  input: z.object({}),
  async *execute() {
    yield "progress";
    return true as boolean;
  },
});
same<OutputOf<typeof streaming>, boolean>(true);

/** What stands for a failure or a whole outcome is not part of the value's type. */
const mixed = tool({
  ...common,
  input: z.object({ n: z.number() }),
  execute: ({ n }) => (n === 0 ? transient("later") : n === 1 ? success("x") : n),
});
same<OutputOf<typeof mixed>, number>(true);

// @ts-expect-error the argument does not exist
tool({ ...common, input: z.object({ query: z.string() }), execute: ({ querry }) => querry });

// @ts-expect-error the side effect does not exist
tool({ ...common, input: z.object({}), safety: { sideEffects: "some" }, execute: () => 1 });

/** `output` is compared with what `execute` returns. */
const status = z.object({ status: z.enum(["paid", "open"]), tags: z.array(z.string()).optional() });
const withOutput = tool({
  ...common,
  input: z.object({ id: z.string() }),
  output: status,
  execute: ({ id }) => ({ status: "paid", tags: [id] }),
});
same<OutputOf<typeof withOutput>, { status: string; tags: string[] }>(true);
tool({ ...common, input: z.object({}), output: status, execute: () => ({ status: "open" }) });
tool({ ...common, input: z.object({}), output: status, execute: async () => ({ status: "open" }) });
tool({ ...common, input: z.object({}), output: status, execute: () => transient("later") });
tool({
  ...common,
  input: z.object({ n: z.number() }),
  output: status,
  execute: async ({ n }) => (n === 0 ? transient("later") : n === 1 ? success("x") : { status: "open" }),
});
tool({
  ...common,
  input: z.object({}),
  output: status,
  async *execute() {
    yield "progress";
    return { status: "open" };
  },
});
tool({ ...common, input: z.object({}), output: z.string().transform(Number), execute: () => "5" });
tool({
  ...common,
  input: z.object({}),
  output: { type: "object", properties: { unit: { enum: ["c", "f"] }, at: { type: "object" } } },
  execute: () => ({ unit: "c", at: new Date() }),
});
tool({ ...common, input: z.object({}), output: {} as Record<string, unknown>, execute: () => 5 });
tool({ ...common, input: z.object({}), output: { type: "object" }, execute: () => new Map() });
tool({ ...common, input: z.object({}), output: v.object({ n: v.number() }), execute: () => ({ n: 1 }) });
tool({
  ...common,
  input: z.object({}),
  output: Type.Object({ list: Type.Array(Type.String()) }),
  execute: () => ({ list: ["a"] as readonly string[] }),
});

// @ts-expect-error a number is no text
tool({ ...common, input: z.object({}), output: z.string(), execute: () => 5 });

// @ts-expect-error the same in a promise
tool({ ...common, input: z.object({}), output: z.string(), execute: async () => 5 });

// @ts-expect-error a property has another type
tool({ ...common, input: z.object({}), output: status, execute: () => ({ status: 5 }) });

// @ts-expect-error a property is missing
tool({ ...common, input: z.object({}), output: v.object({ n: v.number() }), execute: () => ({}) });

// @ts-expect-error text is no object
tool({ ...common, input: z.object({}), output: { type: "object" }, execute: () => "text" });

// @ts-expect-error an element of a list has another type
tool({ ...common, input: z.object({}), output: Type.Array(Type.String()), execute: () => [1] });

tool({
  ...common,
  input: z.object({}),
  output: z.object({ n: z.number() }),
  // @ts-expect-error what a generator returns is compared, too
  async *execute() {
    yield { n: 1 };
    return { n: "1" };
  },
});
