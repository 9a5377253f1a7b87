/** What is returned, thrown, logged and passed to calls: getters, proxies, keys that pollute, sizes, depths. */
import { type Attack, SOON } from "../attack.ts";

const POISON = `JSON.parse('{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"a":{"__proto__":{"polluted":1}}}')`;

export const results: readonly Attack[] = [
  { name: "__proto__ as a key of the result", code: `return ${POISON}`, ends: ["returned"] },
  { name: "__proto__ as a key of arguments", code: `return await tools.echo(${POISON})`, ends: ["returned"] },
  {
    name: "__proto__ as a key of an error",
    code: `throw Object.assign(new Error("x"), { details: ${POISON} })`,
    ends: ["threw"],
  },
  { name: "__proto__ in the log", code: `console.log(${POISON}); return 1`, ends: ["returned"] },
  {
    name: "an error that is named __proto__ and carries one",
    code: `const e = new Error("x"); Object.defineProperty(e, "__proto__", { value: { polluted: 1 }, enumerable: true }); e.name = "__proto__"; throw e`,
    ends: ["threw"],
  },
  {
    name: "a class instance, a symbol key and a hidden key",
    code: `class A { x = 1; #y = 2; get z() { return 3 } } const a = new A(); a[Symbol("s")] = 4; Object.defineProperty(a, "h", { value: 5 }); return a`,
    ends: ["returned"],
    value: { x: 1 },
  },
  {
    name: "a getter that never ends",
    code: "return { get a() { for (;;); } }",
    ends: ["time"],
    limits: SOON,
  },
  { name: "a getter that throws", code: "return { get a() { throw new Error('no') } }", ends: ["threw"] },
  {
    name: "a proxy whose traps never end",
    code: "return new Proxy({}, { ownKeys() { for (;;); } })",
    ends: ["time"],
    limits: SOON,
  },
  {
    name: "a proxy with endless keys",
    code: `return new Proxy({}, { ownKeys: () => Array.from({ length: 1e5 }, (_, i) => "k" + i),
      getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true }), get: (_, k) => k === "toJSON" ? undefined : "x".repeat(1e4) })`,
    ends: ["time", "result", "memory"],
    limits: { time: 1_000, memory: 8 * 1024 * 1024 },
  },
  {
    name: "a revoked proxy",
    code: "const { proxy, revoke } = Proxy.revocable({}, {}); revoke(); return [proxy]",
    ends: ["threw"],
  },
  { name: "toJSON that never ends", code: "return { toJSON() { for (;;); } }", ends: ["time"], limits: SOON },
  {
    name: "toJSON that returns itself",
    code: "const o = { toJSON() { return { o } } }; return o",
    ends: ["threw", "stack"],
  },
  {
    name: "a thenable in a thenable",
    code: "return { then(r) { r({ then(r) { r(7) } }) } }",
    ends: ["returned"],
    value: 7,
  },
  {
    name: "a thenable that resolves to itself for ever",
    code: "const t = { then(r) { r(t) } }; return t",
    ends: ["time"],
    limits: SOON,
  },
  { name: "a thenable that never resolves", code: "return { then() {} }", ends: ["threw"] },
  { name: "a result that is too long", code: "return 'x'.repeat(400000)", ends: ["result"] },
  { name: "a result that is longer as JSON", code: "return '\\u0001'.repeat(100000)", ends: ["result"] },
  {
    name: "a result that is too deep",
    code: "let d = 0; for (let i = 0; i < 5000; i++) d = [d]; return d",
    ends: ["result", "threw", "stack"],
  },
  { name: "as many small parts as fit", code: "return Array(80000).fill([])", ends: ["returned"] },
  {
    name: "as many keys as fit",
    code: "return Object.fromEntries(Array.from({ length: 15000 }, (_, i) => ['k' + i, i]))",
    ends: ["returned"],
  },
  { name: "a circle", code: "const a = []; a.push(a); return a", ends: ["threw"] },
  { name: "a big integer", code: "return 1n", ends: ["threw"] },
  { name: "a function", code: "return () => 1", ends: ["returned"], value: undefined },
  { name: "halves of characters", code: "return { '\\ud800': '\\udfff' }", ends: ["returned"] },
  {
    name: "halves of characters in log and error",
    code: "console.log('\\ud800'); throw new Error('\\udfff')",
    ends: ["threw"],
  },
  {
    name: "an array that says it is long",
    code: "return new Array(4e9)",
    ends: ["time", "memory", "result"],
    limits: SOON,
  },
  {
    name: "an object that says it is an array",
    code: "return Object.setPrototypeOf({ length: 1e9 }, Array.prototype)",
    ends: ["returned"],
  },
  { name: "a huge message", code: "throw new Error('x'.repeat(1e6))", ends: ["threw"] },
  {
    name: "a huge name and a huge stack",
    code: "const e = new Error('x'); e.name = e.stack = 'y'.repeat(1e6); throw e",
    ends: ["threw"],
  },
  {
    name: "a message that never ends",
    code: "throw { get message() { for (;;); } }",
    ends: ["time"],
    limits: SOON,
  },
  {
    name: "toString that throws itself",
    code: "const e = new Error('x'); e.toString = () => { throw e }; e.name = e; throw e",
    ends: ["threw"],
  },
  {
    name: "toString that calls itself",
    code: "const o = { toString() { return '' + o } }; throw o",
    ends: ["threw", "stack"],
  },
  {
    name: "throwing a proxy that refuses everything",
    code: "throw new Proxy({}, { get() { throw 1 }, getPrototypeOf() { throw 2 } })",
    ends: ["threw"],
  },
  { name: "throwing nothing", code: "throw undefined", ends: ["threw"] },
  { name: "throwing a symbol", code: "throw Symbol('x')", ends: ["threw"] },
  { name: "arguments that are too long", code: "await tools.echo('x'.repeat(1e6))", ends: ["threw"] },
  {
    name: "arguments that are too deep",
    code: "let d = 0; for (let i = 0; i < 200; i++) d = [d]; await tools.echo(d)",
    ends: ["args"],
  },
  {
    name: "arguments with a getter that never ends",
    code: "await tools.echo({ get a() { for (;;); } })",
    ends: ["time"],
    limits: SOON,
  },
  {
    name: "an answer that is too long",
    code: "try { await tools.echo(1) } catch (e) { return e.name }",
    onCall: () => ({ status: "done", value: "x".repeat(3_000_000) }),
    ends: ["returned"],
    value: "RangeError",
  },
  {
    name: "an answer that is no JSON",
    code: "try { await tools.echo(1) } catch (e) { return e.name }",
    onCall: () => ({ status: "done", value: 1n }),
    ends: ["returned"],
    value: "TypeError",
  },
  {
    name: "dates out of range",
    code: "return [new Date(8.64e15 + 1).getTime(), new Date(8.64e15).toISOString()]",
    ends: ["returned"],
  },
  { name: "a date of a zone", code: "return new Date(0).getTimezoneOffset()", ends: ["returned"], value: 0 },
];
