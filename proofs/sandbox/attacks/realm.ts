/** Ways out of the realm: constructors, errors, stacks, modules, names of the host. */
import type { Attack } from "../attack.ts";

const NOTHING = { ends: ["returned"] } as const;

export const realm: readonly Attack[] = [
  {
    name: "a function's constructor finds no process",
    code: `return (function () {}).constructor("return typeof process + typeof require + typeof module")()`,
    ...NOTHING,
    value: "undefinedundefinedundefined",
  },
  {
    name: "constructors of what the host gave make functions of this realm",
    code: `return [tools.echo, console.log, setTimeout, tools.echo({})].map((each) =>
      each.constructor.constructor("return typeof process + (this === globalThis)")())`,
    ...NOTHING,
    value: Array(4).fill("undefinedtrue"),
  },
  {
    name: "constructors of async functions and generators",
    code: `const made = [async () => {}, function* () {}, async function* () {}].map((each) =>
      Object.getPrototypeOf(each).constructor("return typeof process"));
    return [await made[0](), made[1]().next().value, (await made[2]().next()).value]`,
    ...NOTHING,
    value: Array(3).fill("undefined"),
  },
  {
    name: "the constructor of an error that the engine threw",
    code: `try { null.x } catch (e) { return [e.constructor === TypeError, e.constructor.constructor("return typeof process")()] }`,
    ...NOTHING,
    value: [true, "undefined"],
  },
  {
    name: "an error that the host answered with is one of this realm",
    code: `try { await tools.echo({}) } catch (e) {
      return [e.constructor === Error, Object.getPrototypeOf(e) === Error.prototype, e.details.constructor === Object] }`,
    onCall: () => ({ status: "failed", error: { message: "no", details: { a: 1 } } }),
    ...NOTHING,
    value: [true, true, true],
  },
  {
    name: "values that the host answered with are of this realm",
    code: `const v = await tools.echo({ a: [1], s: "x" });
      return [v.constructor === Object, v.a.constructor === Array, v.s.constructor === String, Object.getPrototypeOf(v) === Object.prototype]`,
    ...NOTHING,
    value: [true, true, true, true],
  },
  {
    name: "the stack of a failed call tells of no file of the host",
    code: `try { await tools.echo({}) } catch (e) { return e.stack }`,
    onCall: () => ({
      status: "failed",
      error: { message: "no", stack: `at secret (${import.meta.filename}:1:1)` },
    }),
    ...NOTHING,
  },
  {
    name: "prepareStackTrace is given no functions",
    code: `try { Error.prepareStackTrace = (e, s) => s } catch {}
      const s = new Error("x").stack; return typeof s`,
    ...NOTHING,
    value: "string",
  },
  {
    name: "captureStackTrace gives text",
    code: `const o = {}; Error.captureStackTrace?.(o); return typeof o.stack`,
    ...NOTHING,
    value: "string",
  },
  {
    name: "a function's caller and arguments",
    code: `function f() { return f.caller } return f()`,
    ends: ["threw"],
  },
  {
    name: "no global has a name of the host",
    code: `return Reflect.ownKeys(globalThis).map(String).filter((k) =>
      /toolrig|host|wasm|process|require|worker|fetch|deno|bun|buffer$|port|gc|std|os$|script/i.test(k) && !/ArrayBuffer/.test(k))`,
    ...NOTHING,
    value: [],
  },
  {
    name: "what other engines have is not there",
    code: `return [typeof Atomics, typeof WebAssembly, typeof Worker, typeof fetch, typeof XMLHttpRequest, typeof require, typeof process,
      typeof Buffer, typeof setImmediate, typeof setInterval, typeof structuredClone, typeof navigator, typeof Deno, typeof Bun, typeof $262]
      .every((type) => type === "undefined")`,
    ...NOTHING,
    value: true,
  },
  {
    name: "Atomics.wait",
    code: `Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)`,
    ends: ["threw"],
  },
  { name: "WebAssembly", code: `new WebAssembly.Memory({ initial: 1 })`, ends: ["threw"] },
  ...[
    "node:fs",
    "fs",
    "file:///etc/passwd",
    "/etc/passwd",
    "data:text/javascript,export default 1",
    "quickjs:std",
    "std",
    "os",
  ].map(
    (name): Attack => ({
      name: `import("${name}")`,
      code: `return await import(${JSON.stringify(name)}).then(() => "loaded", () => "refused")`,
      ...NOTHING,
      value: "refused",
    }),
  ),
  {
    name: "import() made by Function",
    code: `return await new Function("return import('node:fs')")().then(() => "loaded", () => "refused")`,
    ...NOTHING,
    value: "refused",
  },
  { name: "import.meta", code: "return import.meta.url", ends: ["threw"] },
  { name: "a static import", code: `import fs from "node:fs"; return fs`, ends: ["threw"] },
  {
    name: "eval, direct and not, and Function stay inside",
    code: `return [eval("typeof process"), (0, eval)("typeof process"), Function("return typeof process")()]`,
    ...NOTHING,
    value: Array(3).fill("undefined"),
  },
  {
    name: "code that closes its function",
    code: "}); globalThis.out = typeof process; (async () => { return out",
    ends: ["returned", "threw"],
    value: "undefined",
  },
  { name: "code that ends in a comment", code: "return 1 //", ...NOTHING, value: 1 },
  { name: "code that opens a comment", code: "return 1 /*", ends: ["threw"] },
  { name: "code that opens a template", code: "return `", ends: ["threw"] },
  {
    name: "this has no way up",
    code: `return [typeof this, this === globalThis, typeof globalThis.parent, typeof globalThis.top, typeof globalThis.constructor.constructor("return process")]`,
    ends: ["returned", "threw"],
  },
];
