import type { Resolved } from "../execution.ts";

/** While a call waits for the world, neither its own deadline nor that of a call which waits for it goes on. */
export async function atRest<T>(execution: Resolved, waiting: Promise<T>): Promise<T> {
  const resting = [];
  for (let each: Resolved | undefined = execution; each !== undefined; each = each.parent)
    if (each.running !== undefined) resting.push(each.running);
  for (const each of resting) each.rest();
  try {
    return await waiting;
  } finally {
    for (const each of resting) each.endRest();
  }
}
