import { DeadLetters, Fleet, type FleetOptions, type NatsOptions } from "@toolrig/nats";
import type { FleetView } from "@toolrig/server";

/** A fleet as the server shows it. Rejects when its NATS server is not there. */
export async function fleetView(at: {
  nats: NatsOptions;
  fleet?: FleetOptions;
  caller?: string;
  signer?: string;
}): Promise<FleetView & { close(): Promise<void> }> {
  const fleet = await Fleet.connect(at);
  try {
    const letters = await DeadLetters.connect(at);
    return {
      workers: () => fleet.workers(),
      queues: () => fleet.queues(),
      deadLetters: (limit) => letters.list(limit),
      async retryDeadLetter(seq, by) {
        const { refused } = await letters.show(seq);
        return letters.retry(seq, refused ? { by } : {});
      },
      async dropDeadLetter(seq) {
        await letters.show(seq);
        await letters.drop(seq);
      },
      async close() {
        fleet.close();
        await letters.close();
      },
    };
  } catch (error) {
    fleet.close();
    throw error;
  }
}
