/** What the worker gives the prelude to call. They take numbers and strings. */
export interface PreludeHost {
  call(id: number, name: string, args: string): void;
  timer(id: number, ms: number): void;
  clear(id: number): void;
  log(level: string, text: string): void;
  end(as: "returned" | "threw" | "limit", text: string): void;
}

export interface PreludeSetup {
  tools: readonly string[];
  globals: Readonly<Record<string, unknown>>;
  parallel: number;
  args: number;
  result: number;
  logText: number;
  timers: number;
}

/**
 * What runs inside the sandbox before the code does: `tools`, `console`, timers and the given globals. Its text is evaluated
 * there, so it uses nothing from outside itself. It keeps the built-ins it needs, because the code may replace them. All it
 * does for the worker can be faked by the code, so the worker relies on none of it.
 *
 * Returns the way in: `enter("start", main)`, `enter("fail", error)`, `enter("answer", json)`.
 */
export function prelude(
  call: PreludeHost["call"],
  timer: PreludeHost["timer"],
  clear: PreludeHost["clear"],
  log: PreludeHost["log"],
  end: PreludeHost["end"],
  setupText: string,
): (as: string, given: unknown) => void {
  interface Pending {
    /** It waits for the world, and leaves its place to another call. */
    waits: boolean;
    /** The stack of whoever called: an error that comes later has no other. */
    stack: string | undefined;
    resolve(value: unknown): void;
    reject(error: unknown): void;
  }
  interface Queued {
    id: number;
    name: string;
    text: string;
    next: Queued | undefined;
  }
  const { parse, stringify } = JSON;
  const { apply } = Reflect;
  const { create, defineProperty, freeze, keys } = Object;
  const { isArray } = Array;
  const { slice } = String.prototype;
  const NativePromise = Promise;
  const NativeError = Error;
  const NativeTypeError = TypeError;
  const NativeRangeError = RangeError;
  const toText = String;
  const toNumber = Number;
  const setup = parse(setupText) as PreludeSetup;

  // It would be given the functions on the stack, those of the prelude among them.
  defineProperty(NativeError, "prepareStackTrace", {
    value: undefined,
    writable: false,
    configurable: false,
  });

  const pending: Record<number, Pending> = create(null);
  const timers: Record<number, () => void> = create(null);
  let lastId = 0;
  let out = 0;
  let timersSet = 0;
  let first: Queued | undefined;
  let last: Queued | undefined;

  const cut = (text: string, most: number): string =>
    text.length > most ? `${apply(slice, text, [0, most])}…` : text;

  const define = (on: object, name: string, value: unknown) =>
    defineProperty(on, name, { value, enumerable: true, writable: false, configurable: false });

  function invoke(name: string, args: unknown): Promise<unknown> {
    return new NativePromise((resolve, reject) => {
      const text = args === undefined ? "{}" : stringify(args);
      if (text === undefined) throw new NativeTypeError(`tools.${name} takes a value that JSON can hold.`);
      if (text.length > setup.args)
        throw new NativeRangeError(
          `The arguments of tools.${name} have ${text.length} characters of JSON; at most ${setup.args} are allowed.`,
        );
      lastId += 1;
      pending[lastId] = { waits: false, stack: new NativeError().stack, resolve, reject };
      const queued: Queued = { id: lastId, name, text, next: undefined };
      if (last === undefined) first = queued;
      else last.next = queued;
      last = queued;
      giveOut();
    });
  }

  function giveOut(): void {
    while (first !== undefined && out < setup.parallel) {
      const { id, name, text, next } = first;
      first = next;
      if (next === undefined) last = undefined;
      out += 1;
      call(id, name, text);
    }
  }

  function answer(id: number, as: string, text: string): void {
    const run = timers[id];
    if (run !== undefined) {
      delete timers[id];
      timersSet -= 1;
      run();
      return;
    }
    const waiter = pending[id];
    if (waiter === undefined) return;
    if (!waiter.waits) out -= 1;
    waiter.waits = true;
    if (as === "waiting") return;
    delete pending[id];
    const value: unknown = text === "" ? undefined : parse(text);
    if (as === "done") waiter.resolve(value);
    else waiter.reject(errorFrom(value as Record<string, unknown>, waiter.stack));
  }

  function errorFrom(given: Record<string, unknown>, stack: string | undefined): Error {
    const error = new NativeError(toText(given.message));
    defineProperty(error, "stack", { value: stack, writable: true, configurable: true });
    const names = keys(given);
    for (let index = 0; index < names.length; index++) {
      const name = names[index] as string;
      if (name === "message" || name === "stack") continue;
      defineProperty(error, name, {
        value: given[name],
        // What a failed call returned may be long: it is there to be read, and not repeated where the error is described.
        enumerable: name !== "name" && name !== "value" && name !== "content",
        writable: true,
        configurable: true,
      });
    }
    return error;
  }

  function read(from: object, name: string): string | undefined {
    try {
      const value = (from as Record<string, unknown>)[name];
      return value === undefined ? undefined : toText(value);
    } catch {
      return undefined;
    }
  }

  function describe(thrown: unknown): string {
    if (typeof thrown !== "object" || thrown === null)
      return stringify({ name: "Error", message: cut(shown(thrown), 10_000), stack: "" });
    const said = {
      name: cut(read(thrown, "name") ?? "Error", 200),
      message: cut(read(thrown, "message") ?? shown(thrown), 10_000),
      stack: cut(read(thrown, "stack") ?? "", 10_000),
    };
    let details = "";
    try {
      details = stringify(thrown) ?? "";
    } catch {}
    return stringify(details.length > 2 && details.length <= 20_000 ? { ...said, details } : said);
  }

  function shown(value: unknown): string {
    if (typeof value === "string") return value;
    try {
      if (typeof value === "object" && value !== null) {
        if (value instanceof NativeError) return `${value.name}: ${value.message}`;
        const text = stringify(value);
        if (text !== undefined) return text;
      }
      return toText(value);
    } catch {
      return "[unprintable]";
    }
  }

  function write(level: string, values: readonly unknown[]): void {
    let text = "";
    for (let index = 0; index < values.length && text.length <= setup.logText; index++)
      text += (index === 0 ? "" : " ") + cut(shown(values[index]), setup.logText);
    log(level, cut(text, setup.logText));
  }

  const tools = create(null);
  for (const name of setup.tools) define(tools, name, (args: unknown) => invoke(name, args));
  define(globalThis, "tools", freeze(tools));

  const console = {};
  for (const level of ["log", "info", "warn", "error", "debug"])
    define(console, level, (...values: unknown[]) => write(level, values));
  define(globalThis, "console", freeze(console));

  defineProperty(globalThis, "setTimeout", {
    value: (callback: unknown, ms: unknown, ...args: unknown[]): number => {
      if (typeof callback !== "function") throw new NativeTypeError("setTimeout takes a function.");
      if (timersSet >= setup.timers) throw new NativeRangeError(`At most ${setup.timers} timers at once.`);
      const delay = toNumber(ms);
      lastId += 1;
      timersSet += 1;
      timers[lastId] = () => {
        try {
          apply(callback, undefined, args);
        } catch (error) {
          write("error", ["Uncaught in setTimeout:", error]);
        }
      };
      timer(lastId, delay > 0 ? delay : 0);
      return lastId;
    },
    writable: true,
    configurable: true,
  });
  defineProperty(globalThis, "clearTimeout", {
    value: (id: unknown): void => {
      if (typeof id !== "number" || timers[id] === undefined) return;
      delete timers[id];
      timersSet -= 1;
      clear(id);
    },
    writable: true,
    configurable: true,
  });

  for (const name of keys(setup.globals)) define(globalThis, name, setup.globals[name]);

  async function start(main: () => Promise<unknown>): Promise<void> {
    try {
      const value = await main();
      const text = stringify(value) ?? "";
      if (text.length > setup.result) end("limit", "result");
      else end("returned", text);
    } catch (error) {
      end("threw", describe(error));
    }
  }

  return (as, given) => {
    if (as === "start") start(given as () => Promise<unknown>);
    else if (as === "fail") end("threw", describe(given));
    else {
      const answers = parse(given as string) as { id: number; as: string; text: string }[];
      if (!isArray(answers)) return;
      for (let index = 0; index < answers.length; index++) {
        const { id, as: how, text } = answers[index] as (typeof answers)[number];
        answer(id, how, text);
      }
      giveOut();
    }
  };
}
