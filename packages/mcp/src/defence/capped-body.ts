import { failure } from "@toolrig/core";

const LINE_FEED = 10;
const RETURN = 13;

/**
 * A response of which only so much is read: in all, or of a stream of events in each event, since it may go on for days. What is
 * larger ends it with a failure.
 */
export function cappedBody(response: Response, maxBytes: number, mayStream: boolean): Response {
  if (response.body === null) return response;
  const isStream = mayStream && (response.headers.get("content-type") ?? "").includes("text/event-stream");
  let bytes = 0;
  let lineIsEmpty = false;
  const counted = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      for (const byte of chunk) {
        bytes += 1;
        // An empty line ends an event.
        if (isStream && byte === LINE_FEED && lineIsEmpty) bytes = 0;
        if (byte !== RETURN) lineIsEmpty = byte === LINE_FEED;
        if (bytes > maxBytes)
          throw failure(`The server sent more than ${maxBytes} bytes, which is the limit of one message.`);
      }
      controller.enqueue(chunk);
    },
  });
  const { status, statusText, headers } = response;
  const capped = new Response(response.body.pipeThrough(counted), { status, statusText, headers });
  Object.defineProperty(capped, "url", { value: response.url });
  return capped;
}
