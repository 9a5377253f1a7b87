import type { ToolDefinition } from "@toolrig/core";
import { defined } from "@toolrig/core/kit";
import { type Conversation, Conversations } from "./conversation.ts";
import { KnownResults } from "./known-results.ts";
import type { RigLike } from "./rig-like.ts";
import { type GivenRun, type RunIdentity, runIdentity } from "./run-identity.ts";
import { Seat } from "./seat.ts";

/** Which run calls are part of, told once for all of them or for each run of the peer by what that knows. */
export type RunOf<Peer> = GivenRun | ((peer: Peer) => GivenRun | undefined);

/** Runs that are known by an id: so many at once, and those longest unused are forgotten. */
const MAX_RUNS = 10_000;

/** The seats of a peer whose tools are listed once, and that runs many times. */
export class Seats<Peer> {
  /** For peers whose calls show the conversation. */
  readonly results = new KnownResults();
  readonly #rig: RigLike;
  readonly #run: RunOf<Peer> | undefined;
  /** For what the executor can do, and for calls of which nothing is known. */
  readonly #usual: Seat;
  readonly #byId = new Map<string, Seat>();
  readonly #byPrincipal = new Map<string, Seat>();
  readonly #byObject = new WeakMap<object, Seat>();
  readonly #conversations = new Conversations();

  constructor(rig: RigLike, run?: RunOf<Peer>) {
    this.#rig = rig;
    this.#run = run;
    const given = runIdentity(typeof run === "function" ? undefined : run);
    const conversation = given.runId === undefined ? this.#conversation(undefined, given) : undefined;
    this.#usual = new Seat(rig, given, { conversation });
  }

  definitions(): readonly ToolDefinition[] {
    return this.#usual.definitions();
  }

  get usual(): Seat {
    return this.#usual;
  }

  /**
   * The seat of one run: the one that was given, else by what the peer calls its run, or by an object that lives as long as that
   * does. A peer that knows neither has one run, and one for each whom it is said to be for. Within a run, calls are made for
   * whom `run` says at each of them.
   *
   * `conversation` is what the peer calls the one that the run goes on with, null where its calls show all that was read in it. A
   * run that was given is all of its conversation.
   */
  of(peer: Peer, found: string | object | undefined, conversation?: string | null): Seat {
    const given = this.#given(peer);
    const runId = given.runId ?? (typeof found === "string" ? found : undefined);
    const make = () =>
      new Seat(
        this.#rig,
        { ...given, ...defined({ runId }) },
        {
          conversation: given.runId === undefined ? this.#conversation(conversation, given) : undefined,
        },
      );
    if (runId !== undefined) return this.#known(this.#byId, runId, make).as({ ...given, runId });
    if (typeof found === "object") return this.#byPeer(found, make).as(given);
    if (typeof this.#run !== "function" || Object.keys(given).length === 0) return this.#usual;
    return this.#known(this.#byPrincipal, given.principal?.id ?? "", make).as(given);
  }

  #conversation(name: string | null | undefined, { principal }: RunIdentity): Conversation | undefined {
    if (name === null) return undefined;
    return this.#conversations.of(JSON.stringify([name, principal?.id]));
  }

  #given(peer: Peer): RunIdentity {
    return runIdentity(typeof this.#run === "function" ? this.#run(peer) : this.#run);
  }

  #known(seats: Map<string, Seat>, key: string, make: () => Seat): Seat {
    const seat = seats.get(key) ?? make();
    // Those longest unused go first.
    seats.delete(key);
    seats.set(key, seat);
    const [oldest] = seats;
    if (seats.size > MAX_RUNS && oldest !== undefined) {
      seats.delete(oldest[0]);
      oldest[1].end();
    }
    return seat;
  }

  #byPeer(found: object, make: () => Seat): Seat {
    const seat = this.#byObject.get(found) ?? make();
    this.#byObject.set(found, seat);
    return seat;
  }
}
