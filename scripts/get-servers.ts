/** Before the first test: what many of them start is fetched once, and not by each of those that run at the same time. */
import { installPeers } from "./interop-peers.ts";
import { natsServer } from "./nats-server.ts";

export function setup(): void {
  // Tests that need what is missing say so themselves; the others do without.
  for (const get of [natsServer, () => installPeers(console.error)]) {
    try {
      get();
    } catch (error) {
      console.error(error instanceof Error ? error.message : error);
    }
  }
}
