/** Marks every error that Toolrig throws on purpose. `ToolrigError.isInstance` of `@toolrig/core` looks for it. */
const ERROR_MARK = Symbol.for("toolrig.error");

/** Thrown for invalid options. */
export class OptionError extends TypeError {
  readonly [ERROR_MARK] = true;
  readonly code = "OPTION_INVALID";

  constructor(message: string) {
    super(message);
    this.name = "OptionError";
  }
}
