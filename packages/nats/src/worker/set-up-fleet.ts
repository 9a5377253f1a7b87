import { jetstreamManager } from "@nats-io/jetstream";
import type { ExecutorOptions } from "@toolrig/core";
import {
  declareOptions,
  executorOptions,
  newId,
  type OptionTable,
  option,
  sourceOf,
} from "@toolrig/core/kit";
import { type FleetOptions, fleetOptions, setUp } from "../fleet/setup.ts";
import { AckedPublisher } from "../wire/acked-publisher.ts";
import { leave, type NatsOptions, natsOption, open, withoutSeed } from "../wire/connection.ts";
import { checkConfig, slotsOf, type WorkerConfig } from "./config.ts";
import { Gates } from "./gates/gates.ts";
import { ensureConsumer } from "./intake/consumers.ts";
import { queuesOf } from "./intake/queues.ts";
import { withLimits } from "./limited-source.ts";

export interface SetUpFleetOptions {
  /** As the operator, who may make streams and consumers. */
  nats: NatsOptions;
  /** The tools of the fleet's workers, as they have them: their versions and limits decide which queues there are. */
  tools: ExecutorOptions["tools"];
  /** As the workers have it. */
  config?: WorkerConfig;
  fleet?: FleetOptions;
}

const setUpOptions = declareOptions("setUpFleet", {
  nats: natsOption(),
  tools: executorOptions.table.tools,
  config: option.object("the configuration of the workers"),
  fleet: option.group(fleetOptions),
} satisfies OptionTable<SetUpFleetOptions>);

/**
 * Makes all that a fleet keeps on its server, for workers that may make nothing: streams, and the queues and limits of tools.
 * What is there is brought up to date. Resolves with the names of the queues. Rejects with `CONFIG_INVALID` when it cannot.
 */
export async function setUpFleet(options: SetUpFleetOptions): Promise<string[]> {
  setUpOptions.check(options);
  const { nats, tools, fleet = {} } = options;
  const config = checkConfig(options.config ?? {});
  const connection = await open(nats, newId("setup"));
  const publisher = new AckedPublisher(connection, withoutSeed(nats));
  try {
    const names = await setUp(connection, { stream: config.stream_name, ...fleet });
    const { stream, ackWaitMs } = names;
    const manager = await jetstreamManager(connection, { checkAPI: false });
    const gates = new Gates(connection, publisher, names);
    const lanes = config.priorities ? (["normal", "high", "low"] as const) : (["normal"] as const);
    const queues = queuesOf(withLimits(sourceOf(tools), config.tools), { lanes, imported: true });
    const made: string[] = [];
    for (const queue of queues) {
      const { concurrency } = queue.tool;
      const suffix = config.consumer_name_suffix;
      made.push(await ensureConsumer(manager, queue, { stream, suffix, ackWaitMs, concurrency }));
    }
    for (const { name, tool, major, priority, imported } of queues)
      if (major === undefined && priority === "normal" && !imported)
        await gates.open(tool, queues.filter((queue) => queue.name === name).length, slotsOf(tool, config));
    return made;
  } finally {
    publisher.close();
    await leave(connection);
  }
}
