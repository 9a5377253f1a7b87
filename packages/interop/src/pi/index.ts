export { fromPi } from "./from-pi.ts";
export type { PiTool, PiToolResult } from "./shape.ts";
export { type PiOptions, toPiTools } from "./to-pi.ts";
export { withRawArguments } from "./with-raw-arguments.ts";
