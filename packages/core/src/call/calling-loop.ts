/** The loop of another framework that makes a call: what a tool of that framework expects to be given when it runs. */
export interface CallingLoop {
  /** Which framework: a tool reads the context of its own, and of no other. */
  readonly name: string;
  /** As the framework gives it to a tool: its run context, config or options. */
  readonly context: unknown;
  /**
   * Values that cannot be part of a result, by the execution that returned them: for the adapter that made the call, which decides
   * whether the result still says the same.
   */
  readonly outputs: Map<string, unknown>;
}
