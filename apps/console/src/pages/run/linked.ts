import { signal } from "@preact/signals";
import { param } from "../../location/location.ts";

/** The call under the pointer, in the timeline or in the transcript: it is marked in both. */
const pointed = signal("");
const openCall = param("call");

export function useLinked(executionId: string): { open: boolean; pointed: boolean } {
  return { open: openCall.value === executionId, pointed: pointed.value === executionId };
}

/** What an element of a call listens to. */
export function pointedAt(executionId: string) {
  const point = () => {
    pointed.value = executionId;
  };
  const leave = () => {
    pointed.value = "";
  };
  return { onPointerEnter: point, onPointerLeave: leave, onFocus: point, onBlur: leave };
}
