export { fromMastra } from "./from-mastra.ts";
export { endOfRun } from "./output.ts";
export type { MastraContext, MastraTool } from "./shape.ts";
export { type MastraOptions, toMastraTools } from "./to-mastra.ts";
export { withRawArguments } from "./with-raw-arguments.ts";
