import type { Effect, FileEffect } from "@toolrig/core";

const FILE: Record<FileEffect["op"], string> = {
  create: "created",
  write: "wrote",
  append: "appended to",
  delete: "deleted",
  move: "moved",
  mkdir: "made the folder",
};

/** What a call did to the world, as a colleague would say it. */
export function effectSentence(effect: Effect): string {
  switch (effect.type) {
    case "file": {
      const { op, path, to, bytesAfter } = effect;
      const size = bytesAfter === undefined || op === "delete" ? "" : ` (${bytesAfter} bytes)`;
      return `${FILE[op] ?? op} ${path}${to === undefined ? "" : ` to ${to}`}${size}`;
    }
    case "process": {
      const { command, args = [], exitCode, signal, background } = effect;
      const end = background
        ? "in the background"
        : signal !== undefined
          ? `killed by ${signal}`
          : `exit ${exitCode ?? "unknown"}`;
      return `ran ${[command, ...args].join(" ")} (${end})`;
    }
    case "network":
      return `${effect.method} ${effect.url}${effect.status === undefined ? "" : ` (${effect.status})`}`;
    case "custom":
      return effect.name;
  }
}
