/** The tables of fields agree with the peers' types: one that a peer gains or loses does not compile. */

import type { FunctionTool, RunContext } from "@openai/agents";
import type { aiSdkContextFields, aiSdkFields } from "@toolrig/core/kit";
import type { Tool, ToolExecutionOptions } from "ai";
import type { agentsContextFields, agentsFields } from "../../src/openai-agents/fields.ts";

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
