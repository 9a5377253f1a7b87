import type { CallContext } from "./call.ts";

/**
 * Characters of progress and logs that a client may leave unread: beyond that nothing more of the kind is told until it has read. Also the
 * bytes that a stream of nothing but notifications holds for its client.
 */
export const MAX_UNREAD = 1_048_576;

/** Requests of one connection or session that are under way at once, those included whose answer was not read. */
export const MAX_OPEN_REQUESTS = 256;

/** What a client has been told, and whether it reads it. */
export interface Outlet {
  isBehind(ctx: CallContext): boolean;
  told(ctx: CallContext, params: unknown): void;
}

/** What clients over HTTP have not read of the stream that answers a request. */
export class Unread implements Outlet {
  readonly #unread = new WeakMap<object, number>();

  isBehind({ http }: CallContext): boolean {
    return http?.req !== undefined && (this.#unread.get(http.req) ?? 0) > MAX_UNREAD;
  }

  told({ http }: CallContext, params: unknown): void {
    if (http?.req !== undefined) this.#count(http.req, JSON.stringify(params).length);
  }

  /**
   * The response of a stream of nothing but notifications. It breaks off when its client leaves `MAX_UNREAD` and one message of it unread: the client opens another and lists anew.
   */
  bound(response: Response, onEnd: () => void = () => {}): Response {
    const reader = response.body?.getReader();
    if (reader === undefined) return response;
    const fill = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
      try {
        for (let next = await reader.read(); !next.done; next = await reader.read()) {
          if ((controller.desiredSize ?? 0) <= 0) throw new Error("The client does not read its stream.");
          controller.enqueue(next.value);
        }
        controller.close();
      } catch (error) {
        // What waits is let go with that; the SDK learns that nobody reads any more.
        controller.error(error);
        await reader.cancel(error).catch(() => {});
      } finally {
        onEnd();
      }
    };
    const body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => void fill(controller),
        // The end of the reader ends the loop.
        cancel: (reason) => reader.cancel(reason),
      },
      { highWaterMark: MAX_UNREAD, size: ({ length }) => length },
    );
    return new Response(body, { status: response.status, headers: response.headers });
  }

  /** The response to a request, which is counted as it is read. `onEnd` is called when it has been, or when nobody reads it any more. */
  watch(request: Request, response: Response, onEnd: () => void = () => {}): Response {
    const reader = response.body?.getReader();
    if (reader === undefined) return response;
    let over = false;
    const end = () => {
      if (!over) onEnd();
      over = true;
    };
    const body = new ReadableStream<Uint8Array>({
      pull: async (controller) => {
        try {
          const { done, value } = await reader.read();
          if (!done) {
            this.#count(request, -value.length);
            return controller.enqueue(value);
          }
          end();
          controller.close();
        } catch (error) {
          end();
          controller.error(error);
        }
      },
      cancel(reason) {
        end();
        return reader.cancel(reason);
      },
    });
    return new Response(body, { status: response.status, headers: response.headers });
  }

  #count(request: object, by: number): void {
    this.#unread.set(request, Math.max(0, (this.#unread.get(request) ?? 0) + by));
  }
}
