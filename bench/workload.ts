import { z } from "zod";

/** A tool in neutral terms: every runtime under comparison gets the same schema, code and argument texts. */
export interface Task {
  name: string;
  description: string;
  jsonSchema: JsonObject;
  zod: z.ZodType;
  /** Only called with arguments that its schema accepted. */
  run(args: unknown): Promise<JsonObject>;
  /** The argument text of the call with this index, as a model would write it. */
  text(index: number): string;
}

type JsonObject = { [key: string]: unknown };

/** How often a tool ran, in all. A slice that ran a tool less often than it should measured something else. */
let ran = 0;

export function timesRan(): number {
  return ran;
}

/** Two integers. */
export const trivial: Task = {
  name: "add_numbers",
  description: "Add two integers",
  jsonSchema: {
    type: "object",
    properties: { a: { type: "integer" }, b: { type: "integer" } },
    required: ["a", "b"],
    additionalProperties: false,
  },
  zod: z.strictObject({ a: z.int(), b: z.int() }),
  async run(args) {
    const { a, b } = args as { a: number; b: number };
    ran += 1;
    return { sum: a + b };
  },
  text: (index) => `{"a":${index},"b":1}`,
};

const REGIONS = ["north", "south", "east", "west"] as const;
const STATES = ["open", "packed", "shipped", "returned"] as const;
const UNITS = ["day", "week", "month"] as const;

const orderShape = {
  customer: z.string().min(1).max(80),
  region: z.enum(REGIONS),
  page: z.int().min(1).max(1_000),
  pageSize: z.int().min(1).max(100),
  currency: z.string().min(3).max(3),
  includeTax: z.boolean(),
  minimum: z.number().min(0).max(1_000_000),
  states: z.array(z.enum(STATES)).max(4),
  period: z.strictObject({
    start: z.string().min(10).max(10),
    count: z.int().min(1).max(90),
    unit: z.enum(UNITS),
  }),
  lines: z
    .array(
      z.strictObject({
        sku: z.string().min(4).max(32),
        quantity: z.int().min(1).max(999),
        discount: z.number().min(0).max(1),
        note: z.string().max(200),
      }),
    )
    .max(20),
  columns: z.array(z.string().min(1).max(40)).max(30),
  reference: z.string().min(8).max(64),
};
const orderZod = z.strictObject(orderShape);
type OrderQuery = z.infer<typeof orderZod>;

/** Twelve fields, among them a nested object, a list of objects, enums and bounds. */
export const twelveFields: Task = {
  name: "search_orders",
  description: "Search orders by customer, region, period and lines",
  jsonSchema: asJsonSchema(orderZod),
  zod: orderZod,
  async run(args) {
    const { customer, lines, page } = args as OrderQuery;
    ran += 1;
    return {
      page,
      total: lines.length,
      orders: lines.map(({ sku, quantity }) => ({ customer, sku, quantity })),
    };
  },
  text: (index) => ORDER_TEXTS[index % ORDER_TEXTS.length]!,
};

const ORDER_TEXTS = Array.from({ length: 64 }, (_, index) =>
  JSON.stringify({
    customer: `Customer number ${index}`,
    region: REGIONS[index % 4]!,
    page: 1 + index,
    pageSize: 25,
    currency: "EUR",
    includeTax: index % 2 === 0,
    minimum: 12.5,
    states: ["open", "shipped"],
    period: { start: "2026-03-01", count: 2, unit: UNITS[index % 3]! },
    lines: [
      { sku: `SKU-${1000 + index}`, quantity: 3, discount: 0.1, note: "leave with the neighbour" },
      { sku: "SKU-2000", quantity: 12, discount: 0, note: "" },
      { sku: "SKU-3000", quantity: 1, discount: 0.25, note: "gift wrap, no invoice in the box" },
    ],
    columns: ["customer", "total", "state", "shippedAt"],
    reference: `REF-2026-${String(index).padStart(6, "0")}`,
  } satisfies OrderQuery),
);

/** Draft 7 and 2020-12 mean the same for these schemas; the dialect is left out so that every validator takes them. */
function asJsonSchema(schema: z.ZodType): JsonObject {
  const { $schema: _, ...rest } = z.toJSONSchema(schema);
  return rest;
}

export interface ScriptedCall {
  id: string;
  name: string;
  arguments: string;
}

/** What the model answers: calls, or the text that ends the conversation. */
export type Reply = { calls: readonly ScriptedCall[] } | { text: string };

/** A model without latency: each call gives its next reply. */
export type Script = () => Reply;

export const FINAL: Reply = { text: "done" };

export function callsOf(task: Task, count: number, from = 0): ScriptedCall[] {
  return Array.from({ length: count }, (_, index) => ({
    id: `call_${from + index}`,
    name: task.name,
    arguments: task.text(from + index),
  }));
}
