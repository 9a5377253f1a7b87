export type LogLevel = "debug" | "info" | "warn" | "error";

/** What a tool may tell while it runs. Nothing of it reaches the model. */
export interface ProgressUpdate {
  /** Output so far, for people. */
  content?: string;
  details?: unknown;
  /** Between 0 and 1. */
  progress?: number;
}
