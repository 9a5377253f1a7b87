/** A call that a model wrote as text. */
export interface ExtractedCall {
  /** The registered name of the tool. */
  name: string;
  /**
   * The arguments as text. Where the model wrote JSON this is that JSON as written, well formed or not, to be decoded
   * and its repairs reported like any other call's; where it wrote tags or Python it is JSON made from them, typed by
   * the tool's schema.
   */
  arguments: string;
  /** The envelope family it was written in, a name from `families`. */
  family: string;
  /** False if the text ended inside the call, or if the arguments or the envelope were never closed. */
  complete: boolean;
}

/**
 * What a stream has found out. `text` is certainly content; the texts of all events joined are the content of the
 * whole. `call` is a call with its arguments. `pending` says that text is being held back because it may be a call:
 * something to show while waiting, and the only event that depends on where chunks end.
 */
export type ExtractEvent =
  | { type: "text"; text: string }
  | { type: "call"; call: ExtractedCall }
  | { type: "pending" };
