export { fromLangChain } from "./from-langchain.ts";
export { middlewareFor } from "./middleware.ts";
export type { LangChainConfig, LangChainTool } from "./shape.ts";
export { type LangChainOptions, toLangChainTools } from "./to-langchain.ts";
export { withRawArguments } from "./with-raw-arguments.ts";
