/** The house, for the command line. */
import { RULES, TOOLS } from "./house.ts";

export default { tools: TOOLS, store: process.env.STORE, ...RULES };
