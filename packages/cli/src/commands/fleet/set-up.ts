import { setUpFleet } from "@toolrig/nats";
import { fleetAt, type TypedFleet } from "../../config/fleet-at.ts";
import { loadSettings } from "../../config/load-settings.ts";
import { partsOf } from "../../config/open-rig.ts";
import { note, print, printJson } from "../../terminal/output.ts";

/** Makes streams, queues and limits for the configured tools, as the operator. */
export async function setUp(values: TypedFleet & { config?: string; json?: boolean }): Promise<number> {
  const settings = await loadSettings(values.config);
  const server = fleetAt(values, settings);
  const parts = partsOf(settings);
  try {
    const { worker: config = {} } = settings;
    const queues = await setUpFleet({ ...server, tools: parts.tools, config });
    if (values.json === true) printJson({ queues });
    else for (const queue of queues) print(queue);
    note(`${parts.tools.tools().length} tools are set up. Start the workers.`, "dim");
    return 0;
  } finally {
    await parts.close();
  }
}
