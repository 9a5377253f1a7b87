import { ToolrigError } from "@toolrig/core";

/** What a command was asked about is not there: a run, an execution, a question, a grant. */
export class NotFound extends ToolrigError {
  constructor(message: string) {
    super("OPTION_INVALID", message);
  }
}
