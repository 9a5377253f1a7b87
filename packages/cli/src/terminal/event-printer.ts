import type { CallEvent } from "@toolrig/core";
import { describeEvent, eventLines } from "./event-text.ts";
import { printStyled } from "./output.ts";

/** A listener that shows what happens to calls on standard error, with the time since the first event. */
export function eventPrinter(): (event: CallEvent) => void {
  let origin: number | undefined;
  return (event) => {
    origin ??= event.at;
    printStyled(eventLines(event.at - origin, describeEvent(event), "stderr"), "stderr");
  };
}
