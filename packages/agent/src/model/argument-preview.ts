import { type DecodeStream, decodeStream } from "@toolrig/json";

/** The best reading of the arguments of calls that are still being written. For people; nothing runs on it. */
export class ArgumentPreview {
  readonly #schemaOf: (tool: string) => unknown;
  readonly #streams = new Map<string, DecodeStream>();

  constructor(schemaOf: (tool: string) => unknown) {
    this.#schemaOf = schemaOf;
  }

  add(callId: string, tool: string, delta: string): unknown {
    let stream = this.#streams.get(callId);
    if (stream === undefined) {
      const schema = this.#schemaOf(tool);
      stream = decodeStream(schema === undefined ? {} : { schema });
      this.#streams.set(callId, stream);
    }
    stream.push(delta);
    return stream.value;
  }
}
