/** Built-ins replaced under the prelude, and attempts on what it keeps. */
import type { Attack } from "../attack.ts";

const works = { ends: ["returned"] } as const;

export const tampering: readonly Attack[] = [
  {
    name: "JSON replaced",
    code: `JSON.stringify = () => '"forged"'; JSON.parse = () => ({ id: 1 }); return [await tools.echo(1), 2]`,
    ...works,
    value: [1, 2],
  },
  {
    name: "then replaced",
    code: `Promise.prototype.then = () => 1; return await tools.echo(1)`,
    ...works,
    value: 1,
  },
  {
    name: "Promise removed",
    code: `globalThis.Promise = null; return await tools.echo(1)`,
    ...works,
    value: 1,
  },
  {
    name: "Promise's constructor throws",
    code: `Object.defineProperty(Promise.prototype, "constructor", { get() { throw 1 } }); return await tools.echo(1)`,
    ends: ["threw", "returned"],
  },
  {
    name: "setters on Object.prototype for what the prelude keeps",
    code: `for (const k of ["id", "name", "text", "next", "waits", "stack", "resolve", "reject", "value", "get"])
        Object.defineProperty(Object.prototype, k, { set() { throw new Error(k) }, configurable: true });
      return await tools.echo(1)`,
    ends: ["returned", "threw"],
    value: 1,
  },
  {
    name: "getters on Object.prototype for what the prelude reads",
    code: `for (const k of ["1", "2", "waits", "status"]) Object.defineProperty(Object.prototype, k, { get() { return "x" }, configurable: true });
      return await Promise.all([tools.echo(1), tools.echo(2)])`,
    ...works,
    value: [1, 2],
  },
  {
    name: "iterators, push and slice replaced",
    code: `Array.prototype[Symbol.iterator] = function* () { yield 9 }; Array.prototype.push = String.prototype.slice = () => { throw 1 };
      console.log("a", "b"); return await tools.echo([1])`,
    ...works,
    value: [1],
  },
  {
    name: "Reflect, Object and String replaced",
    code: `Reflect.apply = Object.defineProperty = Object.keys = Object.freeze = () => { throw 1 }; globalThis.String = null;
      console.log("a", {}); return await tools.echo({ a: 1 })`,
    ...works,
    value: { a: 1 },
  },
  {
    name: "toJSON on every prototype",
    code: `Object.prototype.toJSON = function () { return { forged: 1 } }; return await tools.echo({ a: 1 })`,
    ...works,
    value: { forged: 1 },
  },
  { name: "tools cannot be replaced", code: `"use strict"; tools.echo = () => 1`, ends: ["threw"] },
  { name: "tools cannot be removed", code: `delete globalThis.tools; return typeof tools`, ends: ["threw"] },
  { name: "a tool that was not given", code: `return await tools.remove_all({})`, ends: ["threw"] },
  {
    name: "tools has no prototype",
    code: `return typeof tools.constructor + typeof tools.__proto__`,
    ...works,
    value: "undefinedundefined",
  },
  {
    name: "calling the host's side of a timer by number",
    code: `clearTimeout(1); clearTimeout("__proto__"); clearTimeout({ valueOf() { throw 1 } }); return await tools.echo(1)`,
    ...works,
    value: 1,
  },
  {
    name: "a timer whose delay is code",
    code: `setTimeout(() => {}, { valueOf() { throw new Error("ran") } })`,
    ends: ["threw"],
  },
  {
    name: "a timer that throws",
    code: `setTimeout(() => { throw new Error("late") }, 1); await new Promise((r) => setTimeout(r, 20)); return 1`,
    ...works,
    value: 1,
  },
  {
    name: "globals that were given cannot be replaced",
    code: `globalThis.input = 1`,
    ends: ["threw"],
  },
];
