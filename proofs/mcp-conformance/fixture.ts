import { setTimeout as delay } from "node:timers/promises";
import { type Registry, result, tool } from "@toolrig/core";
import { askModel, askRoots } from "@toolrig/mcp";
import { taskTools } from "./task-tools.ts";

/**
 * The tools that the conformance suite calls, as anybody would write them. Prompts and resources of the suite are tools as
 * well: the server offers them by its options.
 */
const PIXEL =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";
const WAV = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=";
const READS = { sideEffects: "read", idempotent: true } as const;
const NONE = { type: "object", properties: {}, additionalProperties: false } as const;

type Spec = Omit<Parameters<typeof tool>[0], "input" | "safety" | "description">;

const reading = (spec: Spec, input: object = NONE) =>
  tool({ description: `Conformance: ${spec.name}`, input, safety: READS, ...spec } as Parameters<
    typeof tool
  >[0]);

const image = { type: "image", data: PIXEL, mimeType: "image/png" } as const;
const texts = (...names: readonly string[]) => ({
  type: "object",
  properties: Object.fromEntries(names.map((name) => [name, { type: "string" }])),
  required: [...names],
});

/** A parameter that is repeated as a header, Mcp-Param-Region. */
const withHeader = {
  type: "object",
  properties: { region: { type: "string", "x-mcp-header": "Region" } },
  required: ["region"],
};

const contents = [
  reading({ name: "test_param_header", execute: (args) => (args as { region: string }).region }, withHeader),
  reading({ name: "test_simple_text", execute: () => "This is a simple text response for testing." }),
  reading({ name: "test_image_content", execute: () => result({ content: [image] }) }),
  reading({
    name: "test_audio_content",
    execute: () => result({ content: [{ type: "audio", data: WAV, mimeType: "audio/wav" }] }),
  }),
  reading({
    name: "test_embedded_resource",
    execute: () =>
      result({
        content: [
          {
            type: "resource",
            uri: "test://embedded-resource",
            mimeType: "text/plain",
            text: "This is an embedded resource content.",
          },
        ],
      }),
  }),
  reading({
    name: "test_multiple_content_types",
    execute: () =>
      result({
        content: [
          { type: "text", text: "Multiple content types test:" },
          image,
          {
            type: "resource",
            uri: "test://mixed-content-resource",
            mimeType: "application/json",
            text: '{"test":"data","value":123}',
          },
        ],
      }),
  }),
  reading({
    name: "test_error_handling",
    execute() {
      throw new Error("This tool intentionally returns an error for testing");
    },
  }),
  reading(
    { name: "json_schema_2020_12_tool", execute: () => "ok" },
    {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      $defs: {
        address: {
          $anchor: "addressDef",
          type: "object",
          properties: { street: { type: "string" }, city: { type: "string" } },
        },
      },
      properties: {
        name: { type: "string" },
        address: { $ref: "#/$defs/address" },
        contactMethod: { type: "string", enum: ["phone", "email"] },
        phone: { type: "string" },
        email: { type: "string" },
      },
      allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }],
      if: { properties: { contactMethod: { const: "phone" } }, required: ["contactMethod"] },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      then: { required: ["phone"] },
      else: { required: ["email"] },
      additionalProperties: false,
    },
  ),
];

const told = [
  reading({
    name: "test_tool_with_progress",
    async execute(_, { update }) {
      for (const progress of [0, 0.5, 1]) {
        update({ progress });
        await delay(50);
      }
      return "done";
    },
  }),
  ...["test_tool_with_logging", "test_logging_tool"].map((name) =>
    reading({
      name,
      async execute(_, { log }) {
        for (const text of ["Tool execution started", "Tool processing data", "Tool execution completed"]) {
          log.info(text);
          await delay(50);
        }
        return "logged";
      },
    }),
  ),
];

const naming = (title: string, ...names: readonly string[]) => ({ ...texts(...names), title });

const asking = [
  reading(
    {
      name: "test_sampling",
      async execute(args, { ask }) {
        const { prompt } = args as { prompt: string };
        const content = { type: "text", text: prompt } as const;
        const answer = await ask(askModel({ messages: [{ role: "user", content }], maxTokens: 100 }));
        return `LLM response: ${JSON.stringify(answer)}`;
      },
    },
    texts("prompt"),
  ),
  reading(
    {
      name: "test_elicitation",
      async execute(args, { ask }) {
        const { message } = args as { message: string };
        return `User response: ${JSON.stringify(await ask({ message, schema: texts("username", "email") }))}`;
      },
    },
    texts("message"),
  ),
  reading({
    name: "test_elicitation_sep1034_defaults",
    async execute(_, { ask }) {
      const schema = {
        type: "object",
        properties: {
          name: { type: "string", default: "John Doe" },
          age: { type: "integer", default: 30 },
          score: { type: "number", default: 95.5 },
          status: { type: "string", enum: ["active", "inactive", "pending"], default: "active" },
          verified: { type: "boolean", default: true },
        },
      };
      return `Elicitation completed: ${JSON.stringify(await ask({ message: "Please review", schema }))}`;
    },
  }),
  reading({
    name: "test_elicitation_sep1330_enums",
    async execute(_, { ask }) {
      const titled = [
        { const: "value1", title: "First" },
        { const: "value2", title: "Second" },
        { const: "value3", title: "Third" },
      ];
      const options = ["option1", "option2", "option3"];
      const schema = {
        type: "object",
        properties: {
          untitledSingle: { type: "string", enum: options },
          titledSingle: { type: "string", oneOf: titled },
          legacyEnum: {
            type: "string",
            enum: ["opt1", "opt2", "opt3"],
            enumNames: ["Option One", "Option Two", "Option Three"],
          },
          untitledMulti: { type: "array", items: { type: "string", enum: options } },
          titledMulti: { type: "array", items: { anyOf: titled } },
        },
      };
      return `Elicitation completed: ${JSON.stringify(await ask({ message: "Please choose", schema }))}`;
    },
  }),
];

const user = { message: "What is your name?", schema: naming("user_name", "name") };
const confirm = {
  message: "Please confirm",
  schema: { type: "object", title: "confirm", properties: { ok: { type: "boolean" } }, required: ["ok"] },
};
const model = (text: string, title: string) =>
  askModel({ messages: [{ role: "user", content: { type: "text", text } }], maxTokens: 100 }, title);

const required = [
  reading({
    name: "test_input_required_result_elicitation",
    execute: async (_, { ask }) => `Hello, ${JSON.stringify(await ask(user))}!`,
  }),
  reading({
    name: "test_streaming_elicitation",
    execute: async (_, { ask }) => `Hello, ${JSON.stringify(await ask(user))}!`,
  }),
  ...["test_input_required_result_sampling", "test_missing_capability"].map((name) =>
    reading({
      name,
      execute: async (_, { ask }) =>
        JSON.stringify(await ask(model("What is the capital of France?", "capital_question"))),
    }),
  ),
  reading({
    name: "test_input_required_result_list_roots",
    execute: async (_, { ask }) => JSON.stringify(await ask(askRoots("client_roots"))),
  }),
  reading({
    name: "test_input_required_result_request_state",
    execute: async (_, { ask }) => `state-ok ${JSON.stringify(await ask(confirm))}`,
  }),
  reading({
    name: "test_input_required_result_tampered_state",
    execute: async (_, { ask }) => JSON.stringify(await ask(confirm)),
  }),
  reading({
    name: "test_input_required_result_multiple_inputs",
    execute: async (_, { ask }) =>
      JSON.stringify(
        await Promise.all([
          ask(user),
          ask(model("Generate a greeting", "greeting")),
          ask(askRoots("client_roots")),
        ]),
      ),
  }),
  reading({
    name: "test_input_required_result_capabilities",
    execute: async (_, { ask }) =>
      JSON.stringify(await Promise.all([ask(user), ask(model("Generate a greeting", "greeting"))])),
  }),
  reading({
    name: "test_input_required_result_multi_round",
    async execute(_, { ask }) {
      const name = await ask({ message: "Step 1: What is your name?", schema: naming("step1", "name") });
      const colour = { message: "Step 2: What is your favorite color?", schema: naming("step2", "color") };
      return JSON.stringify([name, await ask(colour)]);
    },
  }),
];

const prompts = [
  reading({ name: "test_simple_prompt", execute: () => "This is a simple prompt for testing." }),
  reading(
    {
      name: "test_prompt_with_arguments",
      execute(args) {
        const { arg1, arg2 } = args as { arg1: string; arg2: string };
        return `Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`;
      },
    },
    texts("arg1", "arg2"),
  ),
  reading(
    {
      name: "test_prompt_with_embedded_resource",
      execute(args) {
        const { resourceUri: uri } = args as { resourceUri: string };
        const text = "Embedded resource content for testing.";
        return result({
          content: [
            { type: "resource", uri, mimeType: "text/plain", text },
            { type: "text", text: "Please process the embedded resource above." },
          ],
        });
      },
    },
    texts("resourceUri"),
  ),
  reading({
    name: "test_prompt_with_image",
    execute: () => result({ content: [image, { type: "text", text: "Please analyze the image above." }] }),
  }),
  reading({
    name: "test_input_required_result_prompt",
    async execute(_, { ask }) {
      const question = {
        message: "What context should the prompt use?",
        schema: naming("user_context", "context"),
      };
      return `Use ${JSON.stringify(await ask(question))}.`;
    },
  }),
];

const resources = [
  reading({ name: "read_text", execute: () => "This is the content of the static text resource." }),
  reading({ name: "read_pixel", execute: () => result({ content: [image] }) }),
  reading(
    {
      name: "read_template",
      execute(args) {
        const { id } = args as { id: string };
        return { id, templateTest: true, data: `Data for ID: ${id}` };
      },
    },
    texts("id"),
  ),
];

export const TOOLS = [...contents, ...told, ...asking, ...required, ...prompts, ...resources, ...taskTools];

export const VIEW = {
  prompts: prompts.map(({ name }) => name),
  resources: [
    { uri: "test://static-text", tool: "read_text", mimeType: "text/plain" },
    { uri: "test://watched-resource", tool: "read_text", mimeType: "text/plain" },
    { uri: "test://static-binary", tool: "read_pixel", mimeType: "image/png" },
    { uri: "test://template/{id}/data", tool: "read_template", mimeType: "application/json" },
  ],
};

/** Tools that change what there is, as a client sees it. */
export function changingTools(registry: Registry) {
  let made = 0;
  const change = () => {
    made += 1;
    registry.add(reading({ name: `made_${made}`, execute: () => "made" }), { provider: "changes" });
    return "changed";
  };
  return ["test_trigger_tool_change", "test_trigger_prompt_change"].map((name) =>
    reading({ name, execute: change }),
  );
}
