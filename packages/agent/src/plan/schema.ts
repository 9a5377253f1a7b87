import type { JsonSchema } from "@toolrig/core";

const NAME = { type: "string", pattern: "^[A-Za-z_][A-Za-z0-9_-]{0,63}$" };
const TEXT = { type: "string", minLength: 1 };
const SCHEMA = { type: "object", description: "JSON Schema" };
const TEMPLATE = {
  description:
    'Any JSON. {"$from": "step"} stands for the output of a step, {"$from": "step", "path": "/a/0"} for a place in it; ' +
    '{"$from": "input"} is the input of the plan, and inside a map {"$from": "item"} the item and {"$from": "index"} its number.',
};
const PROMPT = {
  ...TEXT,
  description: "Text in which {{step}} and {{step/a/0}} are replaced by outputs of steps",
};
const DURATION = { type: ["string", "integer"], description: 'Milliseconds, or text such as "10s"' };

const STEP = {
  name: { ...NAME, description: "Unique in the plan; other steps refer to the output by it" },
  after: {
    type: "array",
    items: NAME,
    description: "Steps that must be over first, beyond those referred to",
  },
  when: { $ref: "#/$defs/condition" },
  timeout: DURATION,
  retry: {
    type: "object",
    properties: { attempts: { type: "integer", minimum: 1, maximum: 10 }, backoff: DURATION },
    required: ["attempts"],
    additionalProperties: false,
  },
};

interface Shape {
  description: string;
  properties: Record<string, unknown>;
  required: string[];
}

const ACTIONS: Record<string, Shape> = {
  tool: {
    description: "Calls a tool and gives its value",
    properties: { tool: { ...TEXT, description: "Name of the tool" }, input: TEMPLATE },
    required: ["tool"],
  },
  infer: {
    description: "Asks the model once and gives its text, or a value that matches the schema",
    properties: { prompt: PROMPT, system: TEXT, schema: SCHEMA },
    required: ["prompt"],
  },
  validate: {
    description: "Gives the value if it matches the schema and fails otherwise",
    properties: { value: TEMPLATE, schema: SCHEMA },
    required: ["value", "schema"],
  },
  loop: {
    description:
      "Gives a task to an agent with tools and gives its answer, or a value that matches the schema",
    properties: {
      task: PROMPT,
      system: TEXT,
      tools: { type: "array", items: TEXT },
      maxToolIterations: { type: "integer", minimum: 1 },
      schema: SCHEMA,
    },
    required: ["task"],
  },
};

const MAP: Shape = {
  description: "Does the same for every item of a list and gives the list of outputs",
  properties: {
    over: TEMPLATE,
    do: { $ref: "#/$defs/action" },
    concurrency: { type: "integer", minimum: 1 },
  },
  required: ["over", "do"],
};

function object(kind: string, { description, properties, required }: Shape, base: Record<string, unknown>) {
  return {
    type: "object",
    description,
    properties: { kind: { const: kind }, ...properties, ...base },
    required: ["kind", ...required, ...(base.name === undefined ? [] : ["name"])],
    additionalProperties: false,
  };
}

/** The JSON Schema of a plan, to publish and to give to a model that should write one. */
export const planSchema: JsonSchema = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  title: "Plan",
  type: "object",
  properties: {
    description: TEXT,
    steps: { type: "array", minItems: 1, items: { $ref: "#/$defs/step" } },
    output: TEMPLATE,
  },
  required: ["steps"],
  additionalProperties: false,
  $defs: {
    step: {
      oneOf: Object.entries({ ...ACTIONS, map: MAP }).map(([kind, shape]) => object(kind, shape, STEP)),
    },
    action: { oneOf: Object.entries(ACTIONS).map(([kind, shape]) => object(kind, shape, {})) },
    condition: {
      type: "object",
      description: "The step is skipped unless every test given holds",
      properties: {
        value: TEMPLATE,
        equals: {},
        notEquals: {},
        in: { type: "array" },
        exists: { type: "boolean" },
        above: { type: "number" },
        below: { type: "number" },
      },
      required: ["value"],
      additionalProperties: false,
    },
  },
};
