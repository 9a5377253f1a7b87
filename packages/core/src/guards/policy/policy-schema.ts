import type { JsonSchema } from "../../schema/json-schema.ts";

const names = {
  anyOf: [
    { type: "string", minLength: 1 },
    { type: "array", items: { type: "string", minLength: 1 }, minItems: 1 },
  ],
};
const sideEffects = { enum: ["none", "read", "write", "external"] };

/** What a policy file looks like. A typo in a condition must not silently match everything, so nothing else is allowed. */
export const POLICY_SCHEMA: JsonSchema = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  title: "Toolrig policy",
  type: "object",
  additionalProperties: false,
  properties: {
    profile: { enum: ["open", "standard", "strict"] },
    rules: {
      type: "array",
      items: {
        type: "object",
        additionalProperties: false,
        required: ["verdict"],
        properties: {
          name: { type: "string", minLength: 1 },
          reason: { type: "string", minLength: 1 },
          verdict: { enum: ["allow", "deny", "ask"] },
          when: {
            type: "object",
            additionalProperties: false,
            properties: {
              tool: names,
              provider: names,
              requires: names,
              principal: names,
              runLabels: names,
              source: names,
              sideEffects: { anyOf: [sideEffects, { type: "array", items: sideEffects, minItems: 1 }] },
              args: { type: "object" },
              time: {
                type: "object",
                additionalProperties: false,
                minProperties: 1,
                properties: {
                  from: { type: "string", pattern: "^([01][0-9]|2[0-3]):[0-5][0-9]$" },
                  to: { type: "string", pattern: "^(([01][0-9]|2[0-3]):[0-5][0-9]|24:00)$" },
                  days: { type: "array", items: { type: "integer", minimum: 0, maximum: 6 }, minItems: 1 },
                },
              },
            },
          },
        },
      },
    },
  },
};
