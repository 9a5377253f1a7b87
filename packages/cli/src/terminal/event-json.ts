import { jsonText, print } from "./output.ts";
import { redactedFact } from "./redaction.ts";

/** An event on a line of its own, as `data` of the server's event streams: without secrets. The last one has the result. */
export function printEvent(event: object): void {
  print(jsonText(redactedFact(event)));
}
