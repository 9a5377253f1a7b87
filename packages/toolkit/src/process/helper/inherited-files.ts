import { closeSync, readdirSync, readFileSync } from "node:fs";

const CLOSES_ON_EXEC = 0o2000000;

/**
 * Closes what the parents of this process left open for their children, which would be passed on to every command. What Node
 * opened itself is not passed on. Where the system does not tell (`/proc`), nothing is closed.
 */
export function closeInherited(): void {
  for (const name of descriptors()) {
    try {
      const [, flags = ""] =
        /^flags:\s*([0-7]+)/m.exec(readFileSync(`/proc/self/fdinfo/${name}`, "utf8")) ?? [];
      const passedOn = flags !== "" && (Number.parseInt(flags, 8) & CLOSES_ON_EXEC) === 0;
      if (passedOn && Number(name) > 2) closeSync(Number(name));
    } catch {
      // It was the one that the list was read through.
    }
  }
}

function descriptors(): string[] {
  try {
    return readdirSync("/proc/self/fdinfo");
  } catch {
    return [];
  }
}
