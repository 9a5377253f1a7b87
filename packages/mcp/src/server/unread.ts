import type { CallContext } from "./call.ts";

/** Characters of progress and logs that a client may leave unread. Beyond that nothing more of the kind is told until it has read. */
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
