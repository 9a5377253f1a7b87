import {
  type CallOptions,
  type Executor,
  type ExecutorOptions,
  type FailureCode,
  type FailureKind,
  type ToolResult,
  type ToolSpec,
  tool,
} from "@toolrig/core";

/** Something that must not be able to do more than fail its own call. */
export interface Hostile {
  name: string;
  /** What the one result must be: "ok", or the kind and code of its failure. */
  expect: "ok" | `${FailureKind} ${FailureCode}`;
  options?: ExecutorOptions;
  /** What is called; may be anything at all. Default: the tool "hostile" without arguments. */
  call?: unknown;
  callOptions?: () => CallOptions;
  /** Instead of one call: does what it takes and returns the one result that counts. */
  act?: (executor: Executor) => Promise<ToolResult>;
  /** It ends the run, so that the calls after it in a batch do not run. */
  stops?: true;
  /** What else must hold. Undefined, or what does not. */
  check?: (result: ToolResult) => string | undefined;
}

type Spec = Partial<ToolSpec<unknown, unknown>>;

/** A tool called "hostile" that declares no side effects unless it says so. */
export function hostileTool(spec: Spec) {
  const base: ToolSpec<unknown, unknown> = {
    name: "hostile",
    description: "Misbehaves",
    input: { type: "object" },
    safety: { sideEffects: "none" },
    execute: () => "ran",
  };
  return tool({ ...base, ...spec });
}

/** A case about a tool that misbehaves. */
export function withTool(
  name: string,
  expect: Hostile["expect"],
  spec: Spec,
  rest: Partial<Hostile> = {},
): Hostile {
  return { name, expect, ...rest, options: { tools: [hostileTool(spec)], ...rest.options } };
}

/** A case about a tool whose code is all that matters. */
export function runs(
  name: string,
  expect: Hostile["expect"],
  execute: ToolSpec<unknown, unknown>["execute"],
): Hostile {
  return withTool(name, expect, { execute });
}

export const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
export const never = (): Promise<never> => new Promise<never>(() => {});

/** Throws whatever is done with it. */
export function untouchable(): object {
  const refuse = () => {
    throw new Error("do not touch");
  };
  return new Proxy(
    {},
    { get: refuse, has: refuse, ownKeys: refuse, getPrototypeOf: refuse, getOwnPropertyDescriptor: refuse },
  );
}

export function revoked(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

export function thrower(value: unknown): () => never {
  return () => {
    throw value;
  };
}
