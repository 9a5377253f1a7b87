const TIMES = 16;
/** Least microseconds of work in one measurement: some ticks of a coarse clock of processor time. */
const MEASURED_US = 10_000;

/** Below this exponent, work is linear: noise and logarithms are far from making it quadratic. */
export const LINEAR = 1.6;

/**
 * The exponent by which work grows with its size: 1 is linear, 2 quadratic. Compares the work on one large input with the work on as
 * much in small ones, in processor time of this thread, which a busy machine does not change.
 */
export function growth(size: number, work: (size: number) => unknown): number {
  const large = size * TIMES;
  let repetitions = 1;
  let first = costOf(work, large, repetitions);
  while (first < MEASURED_US) {
    repetitions *= 2;
    first = costOf(work, large, repetitions);
  }
  // The less of two counts: other work on the machine and the compiler only ever add.
  const once = Math.min(first, costOf(work, large, repetitions));
  const parts = () => costOf(work, size, repetitions * TIMES);
  const inParts = Math.min(parts(), parts());
  return 1 + Math.log(once / Math.max(inParts, 1)) / Math.log(TIMES);
}

function costOf(work: (size: number) => unknown, size: number, repetitions: number): number {
  const before = process.threadCpuUsage();
  for (let done = 0; done < repetitions; done++) work(size);
  const { user, system } = process.threadCpuUsage(before);
  return user + system;
}
