import { Type as Type034 } from "@sinclair/typebox";
import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { jsonSchema } from "ai";
import { type } from "arktype";
import { Type } from "typebox";
import * as v from "valibot";
import { z } from "zod";
import type { InferInput } from "./infer.ts";
import type { JsonSchema } from "./json-schema.ts";

/** Type tests: this file fails to compile when an inferred type changes. It is never run. */
type Equal<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : [expected: B, received: A];

function same<A, B>(_same: Equal<A, B>): void {}

/** As `tool()` does: a literal schema keeps its literal types. */
declare function infer<const S>(schema: S): InferInput<S>;

const zod = z.object({
  query: z.string(),
  limit: z.coerce.number().optional(),
  when: z.string().default("now"),
});
same<InferInput<typeof zod>, { query: string; limit?: number | undefined; when: string }>(true);

const valibot = toStandardJsonSchema(v.object({ query: v.string(), limit: v.optional(v.number()) }));
same<InferInput<typeof valibot>, { query: string; limit?: number | undefined }>(true);

const ark = type({ query: "string", "limit?": "number" });
same<InferInput<typeof ark>, { query: string; limit?: number }>(true);

const old = Type034.Object({ query: Type034.String(), limit: Type034.Optional(Type034.Integer()) });
same<InferInput<typeof old>, { limit?: number; query: string }>(true);

const box = Type.Object({
  query: Type.String(),
  limit: Type.Optional(Type.Integer()),
  mode: Type.Union([Type.Literal("fast"), Type.Literal("slow")]),
  tags: Type.Array(Type.String()),
  pair: Type.Tuple([Type.String(), Type.Number()]),
  extra: Type.Optional(Type.Record(Type.String(), Type.Boolean())),
});
same<
  InferInput<typeof box>,
  {
    query: string;
    mode: "fast" | "slow";
    tags: string[];
    pair: [string, number];
    limit?: number;
    extra?: Record<string, boolean>;
  }
>(true);

const sdk = jsonSchema<{ city: string }>({ type: "object" });
same<InferInput<typeof sdk>, { city: string }>(true);
const lazy = () => sdk;
same<InferInput<typeof lazy>, { city: string }>(true);

const plain = infer({
  type: "object",
  properties: {
    query: { type: "string", minLength: 1 },
    limit: { type: ["integer", "null"] },
    unit: { enum: ["c", "f"] },
    kind: { const: "weather" },
    tags: { type: "array", items: { type: "string" } },
    pair: { type: "array", prefixItems: [{ type: "string" }, { type: "number" }] },
    either: {
      anyOf: [
        { type: "string" },
        { type: "object", properties: { id: { type: "integer" } }, required: ["id"] },
      ],
    },
    note: { type: "string", nullable: true },
    map: { type: "object", additionalProperties: { type: "number" } },
    any: {},
    free: { type: "object" },
  },
  required: ["query", "either"],
  additionalProperties: false,
});
same<
  typeof plain,
  {
    query: string;
    either: string | { id: number };
    limit?: number | null;
    unit?: "c" | "f";
    kind?: "weather";
    tags?: string[];
    pair?: [string, number];
    note?: string | null;
    map?: Record<string, number>;
    any?: unknown;
    free?: Record<string, unknown>;
  }
>(true);

const tree = infer({
  $ref: "#/$defs/node",
  $defs: {
    node: {
      type: "object",
      properties: { name: { type: "string" }, next: { $ref: "#/$defs/node" } },
      required: ["name"],
    },
  },
});
same<typeof tree.name, string>(true);
same<NonNullable<typeof tree.next>["name"], string>(true);

const all = infer({
  allOf: [
    { type: "object", properties: { a: { type: "string" } }, required: ["a"] },
    { type: "object", properties: { b: { type: "number" } } },
  ],
});
same<typeof all, { a: string } & { b?: number }>(true);

same<InferInput<JsonSchema>, Record<string, unknown>>(true);
same<InferInput<unknown>, Record<string, unknown>>(true);
same<InferInput<{ type: "object" }>, Record<string, unknown>>(true);
// biome-ignore lint/complexity/noBannedTypes: the empty schema, as MCP servers send it.
same<InferInput<{}>, Record<string, unknown>>(true);
same<InferInput<{ type: string; properties: { a: { type: string } }; required: string[] }>, { a?: unknown }>(
  true,
);
