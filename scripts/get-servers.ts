/** Before the first test: what many of them start is fetched once, and not by each of those that run at the same time. */
import { natsServer } from "./nats-server.ts";

export function setup(): void {
  try {
    natsServer();
  } catch (error) {
    // Tests that need it say so themselves; the others do without.
    console.error(error instanceof Error ? error.message : error);
  }
}
