/** Tries a store as another user; prints what was seen. */
import { attempt } from "./attempt.ts";

console.log(JSON.stringify(await attempt(process.argv[2]!)));
