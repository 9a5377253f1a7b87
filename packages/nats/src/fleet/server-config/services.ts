/** Subjects of the fleet, by who may use them. */
import { limitStream, SUBJECT, token } from "../../wire/names.ts";
import type { ServerPlan } from "./plan.ts";
import { nameOf, queuesOf } from "./queues.ts";

export const API = "$JS.API";

export function bucketsOf({ stream = "AGENT", ledger = "TOOL_LEDGER" }: ServerPlan) {
  return {
    stream,
    ledger,
    objects: `${stream}_OBJECTS`,
    waits: `${stream}_WAITS`,
    cards: `${stream}_WORKERS`,
  };
}

/** Services of the store that workers import. Those that answer with several messages say so. */
export function servicesForTools(plan: ServerPlan): [subject: string, streams?: true][] {
  const { stream, ledger, objects, waits, cards } = bucketsOf(plan);
  return [
    // With this one imported, the others of its kind reach the fleet's JetStream and not the account's own, which it has not.
    [`${API}.INFO`],
    [`${API}.STREAM.INFO.*`],
    [`${API}.CONSUMER.INFO.${stream}.*`],
    [`${API}.CONSUMER.MSG.NEXT.${stream}.*`, true],
    [`$JS.ACK.${stream}.>`],
    ...[ledger, objects, waits].flatMap((bucket): [string][] => [
      [`$KV.${bucket}.>`],
      [`${API}.STREAM.MSG.GET.KV_${bucket}`],
      [`${API}.DIRECT.GET.KV_${bucket}.>`],
    ]),
    [`${API}.DIRECT.GET.KV_${waits}`, true],
    [`$KV.${cards}.*`],
    [`${API}.DIRECT.GET.KV_${cards}.>`],
    ...limitsOf(plan).map((subject): [string] => [subject]),
    [`${SUBJECT.execute}.>`],
    [`${SUBJECT.deadLetter}.*`],
  ];
}

/** What limits of tools need that hold in the whole fleet. The operator makes their streams. */
function limitsOf({ workers }: ServerPlan): string[] {
  const names = new Set(Object.values(workers).flat().map(nameOf));
  return [...names].flatMap(limitsOfTool);
}

export function limitsOfTool(name: string): string[] {
  const [rate, slots] = [limitStream("TOOL_RATE", name), limitStream("TOOL_SLOTS", name)];
  return [
    `${SUBJECT.rate}.${token(name)}`,
    `${API}.STREAM.MSG.DELETE.${rate}`,
    `${SUBJECT.slot}.${token(name)}.*`,
    `${API}.STREAM.MSG.DELETE.${slots}`,
    `${API}.STREAM.MSG.GET.${slots}`,
  ];
}

/** What of the store is a caller's: what the fleet is made of, and its own entries and large texts. */
export function servicesFor(plan: ServerPlan, caller: string): string[] {
  const { stream, ledger, objects, cards } = bucketsOf(plan);
  const own = [`$KV.${ledger}.${caller}.*`, `$KV.${objects}.${caller}.>`];
  return [
    `${API}.INFO`,
    `${API}.STREAM.INFO.*`,
    `${API}.CONSUMER.INFO.${stream}.*`,
    `${API}.DIRECT.GET.KV_${cards}.>`,
    own[0] ?? "",
    `${API}.DIRECT.GET.KV_${ledger}.${own[0]}`,
    own[1] ?? "",
    `${API}.DIRECT.GET.KV_${objects}.${own[1]}`,
  ];
}

export function callsOf(plan: ServerPlan, caller: string): string[] {
  const queues = (plan.callers[caller] ?? []).flatMap((tool) => queuesOf(plan, tool));
  return [...new Set(queues.map(({ subject }) => subject))];
}

/** What everybody asks workers, and what they are told of their own calls alone. */
export const ASKED = [`${SUBJECT.worker}.*`, SUBJECT.list, SUBJECT.complete];
export const ownOf = (caller: string) => [`${SUBJECT.cancel}.${caller}.*`, `${SUBJECT.answer}.${caller}.*`];
