/** `npm run budget`: prints each figure beside its limit. Exit code 1 when one is exceeded. With --lower it writes lower limits down. */
import { entries, modulesOf } from "./modules.ts";
import { lowerLimits, mostOf, readLimits } from "./table.ts";

const { modules: limits } = readLimits();
const figures: Record<string, number> = {};
for (const entry of entries) {
  const count = await modulesOf(entry);
  const limit = limits[entry] ?? 0;
  figures[entry] = count;
  const verdict = count > mostOf(limit) ? "EXCEEDED" : count < limit ? "below: --lower writes it down" : "";
  console.log(
    `${entry.padEnd(22)}${String(count).padStart(6)} modules  limit ${limit}  ${verdict}`.trimEnd(),
  );
  if (count > mostOf(limit)) process.exitCode = 1;
}
if (process.argv.includes("--lower")) {
  const lowered = lowerLimits("modules", figures);
  console.log(lowered.length === 0 ? "No limit goes down." : `Lowered: ${lowered.join(", ")}.`);
}
