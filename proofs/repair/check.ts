/** One row of a proof: what was looked at, whether it holds, and the figure. */
export type Check = (name: string, holds: boolean, detail: string) => void;
