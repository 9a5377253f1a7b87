import { Executor, tool } from "@toolrig/core";
import type { Task } from "../workload.ts";

/** The same tools as peers have, of an executor with default options: what reads, and so is not in the ledger. */
export function executorOf(tasks: readonly Task[]): Executor {
  return new Executor({
    tools: tasks.map(({ name, description, jsonSchema, run }) =>
      tool({ name, description, input: jsonSchema, execute: run, safety: { sideEffects: "read" } }),
    ),
  });
}
