export type Status = "ok" | "warn" | "fail";

/** What a check came to. */
export interface Finding {
  status: Status;
  check: string;
  message: string;
  /** What to do about it. */
  fix?: string;
}
