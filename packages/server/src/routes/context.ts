import type { Redactor } from "@toolrig/core";
import type { FleetView } from "../fleet-view.ts";
import type { CallDesk } from "../live/call-desk.ts";
import type { Live } from "../live/live.ts";
import type { RunOwners } from "../live/run-owners.ts";
import type { Streams } from "../live/server-sent.ts";
import type { DeniedLog } from "../security/denied-log.ts";
import type { ServedRig } from "../served-rig.ts";

/** What routes work with. */
export interface Context {
  readonly rig: ServedRig;
  readonly live: Live;
  readonly desk: CallDesk;
  readonly owners: RunOwners;
  readonly redactor: Redactor;
  readonly denied: DeniedLog;
  readonly version: string;
  readonly startedAt: number;
  readonly demo: { start(): Promise<string> } | undefined;
  readonly fleet: FleetView | undefined;
  readonly hasMcp: boolean;
  readonly streams: Streams;
  /** Runs under way beyond which none is started here. */
  readonly mostRuns: number;
}
