/** The tools and rules that every caller of the proof finds, in this process or another. */
import { type AnyTool, type ExecutorOptions, type Guard, type SideEffects, tool } from "@toolrig/core";

const input = {
  type: "object",
  properties: { n: { type: "integer", maximum: 100 } },
  required: ["n"],
} as const;

function make(
  name: string,
  execute: (args: { n: number }) => unknown,
  more: { timeout?: number; retry?: { attempts: number; backoff: number }; sideEffects?: SideEffects } = {},
): AnyTool {
  const { sideEffects = "read", ...rest } = more;
  const safety = { sideEffects, idempotent: true };
  return tool({ name, version: "1.2.3", description: name, input, safety, ...rest, execute });
}

let failures = 0;

export const TOOLS: readonly AnyTool[] = [
  make("double", ({ n }) => 2 * n),
  make("forbidden", () => "never"),
  make("delicate", () => "never", { sideEffects: "external" }),
  make("deaf", () => new Promise(() => {}), { timeout: 50, retry: { attempts: 1, backoff: 0 } }),
  make("broken", () => {
    throw new Error("it broke; password=hunter2222");
  }),
  make(
    "flaky",
    () => {
      failures += 1;
      if (failures % 2 === 1) throw Object.assign(new Error("connection lost"), { code: "ECONNRESET" });
      return "there";
    },
    { retry: { attempts: 2, backoff: 0 } },
  ),
  make("talkative", () => "word ".repeat(1_000)),
];

const rules: Guard = {
  name: "house-rules",
  before({ tool: { name } }) {
    if (name === "forbidden") return { verdict: "deny", reason: "not in this house" };
    return name === "delicate" ? { verdict: "ask", reason: "somebody must look" } : undefined;
  },
  after: ({ tool: { name } }) =>
    name === "double" ? { verdict: "advise", text: "twice is enough" } : undefined,
};

export const RULES: Pick<ExecutorOptions, "guards" | "approve" | "maxContent"> = {
  guards: [rules],
  approve: () => ({ approved: false, by: { id: "ann" }, reason: "not today" }),
  maxContent: 500,
};

interface Args {
  n: unknown;
  /** No tool has it. */
  dry_run?: boolean;
}

/** What is called, and what must come of it whoever calls. */
export const SITUATIONS: readonly { what: string; name: string; args: Args; want: string }[] = [
  { what: "arguments to be coerced", name: "double", args: { n: "21" }, want: "ok" },
  { what: "arguments that do not fit", name: "double", args: { n: "many" }, want: "validation" },
  { what: "a value beyond the schema", name: "double", args: { n: 101 }, want: "validation" },
  { what: "a guard that denies", name: "forbidden", args: { n: 1 }, want: "denied" },
  { what: "a person who declines", name: "delicate", args: { n: 1 }, want: "denied" },
  { what: "an argument too many", name: "delicate", args: { n: 1, dry_run: true }, want: "validation" },
  { what: "an argument too many for a read", name: "double", args: { n: 1, dry_run: true }, want: "ok" },
  { what: "a tool that does not answer", name: "deaf", args: { n: 1 }, want: "timeout" },
  { what: "a tool that throws", name: "broken", args: { n: 1 }, want: "fatal" },
  { what: "a tool that fails once", name: "flaky", args: { n: 1 }, want: "ok" },
  { what: "an answer beyond the cap", name: "talkative", args: { n: 1 }, want: "ok" },
];
