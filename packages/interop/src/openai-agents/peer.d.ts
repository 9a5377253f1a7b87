/*
 * What is used of the OpenAI Agents SDK, for those who build this package without it. Who has it installed gets its own types; that
 * the two agree is checked in the folder of the peers.
 */

declare module "@openai/agents" {
  export function tool(options: {
    name: string;
    description: string;
    // biome-ignore lint/suspicious/noExplicitAny: a Standard Schema with JSON Schema
    parameters: any;
    strict: true;
    errorFunction: null;
    // biome-ignore lint/suspicious/noExplicitAny: the SDK's own context and details
    execute(input: unknown, runContext?: any, details?: any): Promise<any>;
    // biome-ignore lint/suspicious/noExplicitAny: the SDK's own type of tools
  }): any;
}
