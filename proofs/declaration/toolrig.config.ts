/** What the command line is given: the tool with the field that `DECLARED` names changed. */
import { declared } from "./subject.ts";

export default { tools: [declared(process.env.DECLARED)] };
