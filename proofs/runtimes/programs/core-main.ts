import { callsAndRun } from "./core.ts";

callsAndRun().then(console.log);
