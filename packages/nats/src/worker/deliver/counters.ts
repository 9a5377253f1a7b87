/** What a worker did with the messages it was given. */
export interface DeliveryCounters {
  /** Messages that came. */
  received: number;
  /** Calls that were started here. */
  ran: number;
  failed: number;
  /** Calls that wait for the world, and are nobody's until that comes. */
  parked: number;
  /** Messages of calls that were done or under way already. */
  duplicates: number;
  /** Calls of lost workers that were started again here. */
  takenOver: number;
  /** Calls of lost workers that were answered as unknown. */
  unknown: number;
  buried: number;
  /** Outcomes that came after somebody else had taken over. */
  late: number;
  /** Calls given back because the worker stopped. */
  handedBack: number;
  /** Answered calls whose code went on for so long that their places were given to others. */
  overran: number;
  errors: number;
  /** Messages that the server did not let this worker publish. */
  refused: number;
}

export function newCounters(): DeliveryCounters {
  return {
    received: 0,
    ran: 0,
    failed: 0,
    parked: 0,
    duplicates: 0,
    takenOver: 0,
    unknown: 0,
    buried: 0,
    late: 0,
    handedBack: 0,
    overran: 0,
    errors: 0,
    refused: 0,
  };
}
