import type { MaybePromise } from "../maybe-promise.ts";

/** One rule of an interface: `run` throws when an implementation breaks it. For whatever test runner is at hand. */
export interface ContractCase {
  name: string;
  run(): Promise<void>;
}

/** What is under test. */
export interface Subject<T> {
  value: T;
  /**
   * The same data through a new instance, as after a restart. Absent for what lives in memory: rules about restarts are
   * then left out.
   */
  reopen?(): MaybePromise<T>;
  close?(): MaybePromise<void>;
}

/** Makes an empty one for every case. */
export type MakeSubject<T> = () => MaybePromise<Subject<T>>;

/** Cases from rules, each with a subject of its own that is closed whatever happens. */
export function contract<T>(
  make: MakeSubject<T>,
  rules: Readonly<Record<string, (value: T, subject: Subject<T>) => MaybePromise<void>>>,
): ContractCase[] {
  return Object.entries(rules).map(([name, rule]) => ({
    name,
    async run() {
      const subject = await make();
      try {
        await rule(subject.value, subject);
      } finally {
        await subject.close?.();
      }
    },
  }));
}
