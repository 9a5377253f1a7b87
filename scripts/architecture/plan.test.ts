import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ROOMS } from "./plan.ts";

const page = readFileSync(join(import.meta.dirname, "../../docs/architecture.md"), "utf8");

test.each(["agent", "store", "nats", "toolkit", "mcp", "sandbox", "telemetry", "server", "cli"])(
  "docs/architecture.md names the rooms of %s in the order of the plan",
  (name) => {
    const rooms = (ROOMS[name] ?? []).filter((room) => room !== "").map((room) => `\`${room}\``);
    expect(page.replaceAll(/\s+/g, " ")).toContain(`${name} ${rooms.join(", ")}`);
  },
);
