/** The tables of fields agree with the peers' types: one that a peer gains or loses does not compile. */

import type { AgentTool, AgentToolResult } from "@earendil-works/pi-agent-core";
import type { Runnable } from "@langchain/core/runnables";
import type { DynamicStructuredTool, ToolRuntime } from "@langchain/core/tools";
import type { Tool as MastraTool, ToolExecutionContext } from "@mastra/core/tools";
import type { FunctionTool, RunContext } from "@openai/agents";
import type { aiSdkContextFields, aiSdkFields } from "@toolrig/core/kit";
import type { Tool, ToolExecutionOptions } from "ai";
import type { langChainContextFields, langChainFields } from "../../src/langchain/fields.ts";
import type { mastraContextFields, mastraFields } from "../../src/mastra/fields.ts";
import type { agentsContextFields, agentsFields } from "../../src/openai-agents/fields.ts";
import type { piFields, piResultFields } from "../../src/pi/fields.ts";

/** All fields of a type, also of those of a union; symbols of the peers' own are carried as they are. */
type FieldsOf<Type> = Type extends unknown ? Extract<keyof Type, string> : never;

/** What is missing in a table, or too much in it: nothing. */
type Apart<Table, Fields extends string> = Exclude<Fields, keyof Table> | Exclude<keyof Table, Fields>;

function agree<_Apart extends never>(): void {}

// biome-ignore lint/suspicious/noExplicitAny: fields are the same for all contexts
type AnyContext = any;

type Details = NonNullable<Parameters<FunctionTool["invoke"]>[2]>;

agree<Apart<typeof agentsFields, FieldsOf<FunctionTool<AnyContext>>>>();
agree<Apart<typeof agentsContextFields, FieldsOf<RunContext<AnyContext>> | FieldsOf<Details>>>();
agree<Apart<typeof aiSdkFields, FieldsOf<Tool>>>();
agree<Apart<typeof aiSdkContextFields, FieldsOf<ToolExecutionOptions<AnyContext>>>>();

/** Ways to run a tool, which each has from its class. */
type Ways = Exclude<FieldsOf<Runnable>, "name"> | "call";
agree<Apart<typeof langChainFields, Exclude<FieldsOf<DynamicStructuredTool>, Ways>>>();
agree<Apart<typeof langChainContextFields, FieldsOf<ToolRuntime>>>();

agree<Apart<typeof piFields, FieldsOf<AgentTool>>>();
agree<Apart<typeof piResultFields, FieldsOf<AgentToolResult>>>();
agree<Apart<typeof mastraFields, FieldsOf<MastraTool>>>();
agree<Apart<typeof mastraContextFields, FieldsOf<ToolExecutionContext>>>();
