import { carefulLabels, type DataLabels, joinLabels } from "../call/labels.ts";
import type { Guard } from "../guards/guard.ts";
import type { Execution } from "./execution.ts";

/** What the run of a call has read, as far as guards follow that: to be kept with a call that is put aside. */
export function readBy({ services, options, parent, read }: Execution): DataLabels | undefined {
  return services.guards
    .map((guard) => askedOf(guard, options.runId))
    .reduce(joinLabels, joinLabels(parent?.read, read));
}

/** One that throws may have seen anything. */
function askedOf(guard: Guard, runId: string | undefined): DataLabels | undefined {
  try {
    return carefulLabels(guard.readBy?.(runId));
  } catch {
    return carefulLabels(null);
  }
}
