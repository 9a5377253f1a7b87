/** Finds a chromium for the console's tests, or gets one. Takes CHROMIUM where it is set. */
import { findProgram } from "./debian-program.ts";

/** The path of a usable browser. Throws with what to do when there is none and none can be had. */
export function findChromium(): string {
  return findProgram({
    names: ["chromium", "chromium-browser", "google-chrome", "/usr/bin/chromium"],
    variable: "CHROMIUM",
    debian: "chromium",
    neededBy: "The tests of the console",
  });
}

if (import.meta.main) console.log(findChromium());
