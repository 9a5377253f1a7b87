import type { Rig } from "../rig/rig.ts";
import { note } from "./output.ts";

/** Says what an earlier process left behind that somebody should look into. */
export function noteReconciled({ reconciled }: Rig): void {
  reconciled.then(
    (found) => {
      for (const { intent, outcome } of found) {
        if (outcome !== "unknown") continue;
        const { name, executionId } = intent;
        note(
          `${name} was cut off in an earlier process and may have happened: toolrig show ${executionId}`,
          "warn",
        );
      }
    },
    () => {},
  );
}
