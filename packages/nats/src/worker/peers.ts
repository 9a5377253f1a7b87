import { satisfies } from "@toolrig/core/kit";
import type { Fleet } from "../fleet/fleet.ts";

/** What the other workers of a fleet can do. */
export class Peers {
  readonly #fleet: Fleet;
  readonly #self: string;

  constructor(fleet: Fleet, self: string) {
    this.#fleet = fleet;
    this.#self = self;
  }

  /** Whether one that is alive may run calls of a tool, in the versions of a range. */
  offer(tool: string, range?: string): boolean {
    return this.#fleet
      .workers()
      .some(
        ({ id, tools }) =>
          id !== this.#self &&
          tools.some(
            ({ name, version, allowed }) =>
              name === tool && allowed !== false && (range === undefined || satisfies(version, range)),
          ),
      );
  }
}
