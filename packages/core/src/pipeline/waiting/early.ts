/** Executions whose token is out while their code still runs: what completes them waits until they are parked or over. */
export class Early {
  readonly #running = new Map<string, Set<() => void>>();

  add(id: string): void {
    if (!this.#running.has(id)) this.#running.set(id, new Set());
  }

  delete(id: string): void {
    const waiting = this.#running.get(id);
    this.#running.delete(id);
    for (const go of waiting ?? []) go();
  }

  async gone(id: string): Promise<void> {
    const waiting = this.#running.get(id);
    if (waiting !== undefined) await new Promise<void>((resolve) => waiting.add(resolve));
  }
}
