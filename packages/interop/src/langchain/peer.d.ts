/*
 * What is used of LangChain, for those who build this package without it. Who has it installed gets its own types; that the two
 * agree is checked in the folder of the peers.
 */

declare module "@langchain/core/tools" {
  export abstract class StructuredTool {
    abstract name: string;
    abstract description: string;
    // biome-ignore lint/suspicious/noExplicitAny: typed by each tool's schema
    abstract schema: any;
    returnDirect: boolean;
    constructor(fields?: object);
    // biome-ignore lint/suspicious/noExplicitAny: see above
    invoke(input: any, config?: any): Promise<any>;
    // biome-ignore lint/suspicious/noExplicitAny: see above
    call(arg: any, config?: any, tags?: string[]): Promise<any>;
    // biome-ignore lint/suspicious/noExplicitAny: see above
    toJSON(): any;
    // biome-ignore lint/suspicious/noExplicitAny: see above
    protected abstract _call(arg: any, runManager?: any, config?: any): Promise<any>;
  }
}

declare module "@langchain/core/language_models/chat_models" {
  export abstract class BaseChatModel {
    // biome-ignore lint/suspicious/noExplicitAny: typed by each model
    _streamResponseChunks(messages: any[], options: any, runManager?: any): AsyncGenerator<any>;
  }
}

declare module "@langchain/core/messages" {
  export class ToolMessage {
    constructor(fields: {
      // biome-ignore lint/suspicious/noExplicitAny: text, or blocks of many kinds
      content: any;
      tool_call_id: string;
      name?: string;
      status?: "success" | "error";
      artifact?: unknown;
      metadata?: Record<string, unknown>;
    });
    tool_call_id: string;
  }
}

declare module "@langchain/langgraph" {
  export function interrupt(value: unknown): unknown;
  export class Command {
    // biome-ignore lint/suspicious/noExplicitAny: typed by each graph
    constructor(fields: any);
  }
}
