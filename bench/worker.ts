/** One case of one benchmark in this process: `node worker.ts BENCHMARK CASE`. Answers its parent with what it measured. */
import { CATALOGUE } from "./catalogue.ts";

process.once("disconnect", () => process.exit(1));

const [benchmark = "", name = ""] = process.argv.slice(2);
const { cases } = (await CATALOGUE[benchmark]!.load()).benchmark;
const measured = await cases[name]!();
if (process.send === undefined) {
  console.log(measured);
  process.exit(0);
}
// Peers may leave timers and sockets behind.
process.send(measured, () => process.exit(0));
