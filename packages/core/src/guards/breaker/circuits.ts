import type { ToolResult } from "../../call/result.ts";
import type { FailureKind } from "../../failure/codes.ts";

export interface CircuitOptions {
  /** Failures in a row that open the circuit of a tool. */
  failures: number;
  /** How long it stays open. Then one more failure opens it again. */
  cooldownMs: number;
  /** The failures that count. */
  counts(kind: FailureKind): boolean;
  now?: () => number;
}

interface Circuit {
  failures: number;
  openedAt: number | undefined;
}

/** Which tools keep failing. A success of a tool closes its circuit. */
export class Circuits {
  readonly #options: Required<CircuitOptions>;
  readonly #circuits = new Map<string, Circuit>();

  constructor({ now = Date.now, ...options }: CircuitOptions) {
    this.#options = { ...options, now };
  }

  /** Takes note of what came of a call. True when that opens the tool's circuit. */
  observe(tool: string, { failure, attempts }: Pick<ToolResult, "failure" | "attempts">): boolean {
    const { failures, counts, now } = this.#options;
    if (failure === undefined || !counts(failure.kind)) {
      if (attempts > 0) this.#circuits.delete(tool);
      return false;
    }
    const circuit = this.#circuits.get(tool) ?? { failures: 0, openedAt: undefined };
    this.#circuits.set(tool, circuit);
    circuit.failures += 1;
    if (circuit.failures < failures || this.#leftMs(circuit) > 0) return false;
    circuit.openedAt = now();
    return true;
  }

  /** An open circuit: how often the tool failed in a row, and for how long it stays open. Undefined: it is closed. */
  opened(tool: string): { failures: number; leftMs: number } | undefined {
    const circuit = this.#circuits.get(tool);
    if (circuit?.openedAt === undefined) return undefined;
    return { failures: circuit.failures, leftMs: this.#leftMs(circuit) };
  }

  /** Not above 0 once the cooldown is over. */
  #leftMs({ openedAt }: Circuit): number {
    const { cooldownMs, now } = this.#options;
    return openedAt === undefined ? 0 : openedAt + cooldownMs - now();
  }
}
