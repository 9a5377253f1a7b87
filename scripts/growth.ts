const TIMES = 16;
/** The least of them counts: other work on the machine and the compiler only ever add. */
const ROUNDS = 2;
/** Microseconds of work in one measurement. The clock of processor time is coarse. */
const MEASURED_US = 40_000;

/** Below this exponent, work is linear: noise and logarithms are far from making it quadratic. */
export const LINEAR = 1.6;

/**
 * The exponent by which work grows with its size: 1 is linear, 2 quadratic. Compares the work on one large input with the work on as
 * much in small ones, in processor time of this thread, which a busy machine does not change.
 */
export function growth(size: number, work: (size: number) => unknown): number {
  const large = size * TIMES;
  let repetitions = 1;
  while (costOf(work, large, repetitions) < MEASURED_US) repetitions *= 2;
  const least = (of: number, times: number) =>
    Math.min(...Array.from({ length: ROUNDS }, () => costOf(work, of, times)));
  const [once, inParts] = [least(large, repetitions), least(size, repetitions * TIMES)];
  return 1 + Math.log(once / Math.max(inParts, 1)) / Math.log(TIMES);
}

function costOf(work: (size: number) => unknown, size: number, repetitions: number): number {
  const before = process.threadCpuUsage();
  for (let done = 0; done < repetitions; done++) work(size);
  const { user, system } = process.threadCpuUsage(before);
  return user + system;
}
