/** Code that does not end: loops, floods of promises and timers, built-ins that do not look at the clock. */
import { type Attack, SOON } from "../attack.ts";

const never = (name: string, code: string, more: Partial<Attack> = {}): Attack => ({
  name,
  code,
  ends: ["time"],
  limits: SOON,
  ...more,
});
/** Ends by the thread's end, or by the memory it needs, whichever is first. */
const builtin = (name: string, code: string, more: Partial<Attack> = {}): Attack =>
  never(name, code, { ends: ["time", "memory", "threw"], ...more });

export const time: readonly Attack[] = [
  never("a loop", "for (;;);"),
  never("a loop that catches everything", "for (;;) try { for (;;); } catch {} finally { continue }"),
  never("a loop in a generator", "function* g() { for (;;) yield 1 } for (const _ of g());"),
  never("a loop in a class's initialiser", "class A { static { for (;;); } }"),
  never(
    "a loop in a setter called by a built-in",
    "[1].map.call({ length: 1, get 0() { for (;;); } }, (x) => x)",
  ),
  never("recursion that catches its end", "const f = () => { try { f() } catch { f() } }; f()"),
  never(
    "microtasks that make microtasks",
    "const f = () => Promise.resolve().then(f); f(); await new Promise(() => {})",
  ),
  never("queueMicrotask for ever", "const f = () => queueMicrotask(f); f(); return 1"),
  never("an async loop that nobody waits for", "(async () => { for (;;) await null })(); return 1"),
  never("for await for ever", "for await (const _ of (async function* () { for (;;) yield 1 })());"),
  never("steps are counted, too", "for (;;);", { ends: ["steps"], limits: { steps: 100_000 } }),
  { name: "a promise that never resolves", code: "await new Promise(() => {})", ends: ["threw"] },
  {
    name: "an unhandled rejection",
    code: "Promise.reject(new Error('lost')); return 1",
    ends: ["returned"],
    value: 1,
  },
  {
    name: "a flood of timers",
    code: "for (;;) setTimeout(() => {}, 0)",
    ends: ["threw"],
  },
  never(
    "timers that are set and cleared, over and over",
    "for (;;) clearTimeout(setTimeout(() => {}, 1e9))",
    { limits: { time: "2s" }, slow: true },
  ),
  {
    name: "timers that are set and cleared before a call",
    code: "const until = Date.now() + 300; while (Date.now() < until) clearTimeout(setTimeout(() => {}, 1e9)); return await tools.echo(1)",
    ends: ["returned"],
    value: 1,
  },
  {
    name: "timers that set timers",
    code: "(function f() { setTimeout(f, 0) })(); await new Promise(() => {})",
    ends: ["wall", "time"],
    limits: { wall: 800 },
  },
  {
    name: "a timer for ever",
    code: "await new Promise((r) => setTimeout(r, Infinity))",
    ends: ["wall"],
    limits: { wall: 300 },
  },
  {
    name: "timers are left behind",
    code: "setTimeout(() => {}, 1e9); return 1",
    ends: ["returned"],
    value: 1,
  },
  ...[
    "/^(a+)+$/.test('a'.repeat(40) + 'b')",
    "/(x+x+)+y/.test('x'.repeat(40))",
    "'a'.repeat(1e5).match(/(.*)*b/)",
    "/(a|aa)+$/.test('a'.repeat(50) + 'b')",
    "'a'.repeat(3e4).replace(/(?<=(a*)*)b/g, '')",
  ].map((expression) => never(`a bomb of a pattern: ${expression.slice(0, 24)}`, `return ${expression}`)),
  builtin(
    "many repetitions in a pattern",
    "return new RegExp('a{1,30000}'.repeat(50)).test('a'.repeat(1e5))",
  ),
  builtin(
    "sort of many strings",
    "const a = Array.from({ length: 300000 }, (_, i) => (i * 7919) % 300007 + ''); for (;;) a.sort()",
  ),
  builtin(
    "sort of a typed array",
    "const a = new Float64Array(2e6).map((_, i) => (i * 7919) % 2000003); for (;;) a.sort()",
    { slow: true },
  ),
  builtin("indexOf of a long text in a long text", "for (;;) 'a'.repeat(4e5).indexOf('a'.repeat(2e5) + 'b')"),
  builtin("lastIndexOf of the same", "for (;;) 'a'.repeat(4e5).lastIndexOf('b' + 'a'.repeat(2e5))", {
    slow: true,
  }),
  builtin("replaceAll of every character", "'a'.repeat(8e6).replaceAll('a', 'bb')", { slow: true }),
  builtin("split into characters", "'a'.repeat(8e6).split('')"),
  builtin("join of a sparse array", "Array.prototype.join.call({ length: 2 ** 32 }, '')"),
  builtin("reverse of something long", "Array.prototype.reverse.call({ length: 2 ** 53 - 1 })", {
    slow: true,
  }),
  builtin("copyWithin of something long", "Array.prototype.copyWithin.call({ length: 2 ** 53 - 1 }, 0, 1)", {
    slow: true,
  }),
  builtin("fill of something long", "Array.prototype.fill.call({ length: 2 ** 53 - 1 }, 1)", { slow: true }),
  builtin("includes of something long", "Array.prototype.includes.call({ length: 2 ** 53 - 1 }, 1)", {
    slow: true,
  }),
  builtin("slice of something long", "Array.prototype.slice.call({ length: 2 ** 32 - 1 })", { slow: true }),
  builtin("flat of a sparse array", "const a = []; a[2 ** 32 - 2] = 1; a.flat()", { slow: true }),
  builtin("sort of a sparse array", "const a = []; a.length = 2 ** 32 - 1; a.sort()", { slow: true }),
  builtin("splice of something long", "Array.prototype.splice.call({ length: 2 ** 53 - 1 }, 0, 1)", {
    slow: true,
  }),
  builtin("a power of a big integer", "3n ** (10n ** 7n)"),
  builtin("squares of a big integer", "let b = 3n; for (;;) b *= b"),
  builtin("a big integer as text", "(2n ** 1000000n).toString()"),
  builtin("text as a big integer", "BigInt('9'.repeat(2e6))"),
  builtin("division of big integers", "const a = 7n ** 300000n, b = 3n ** 200000n; for (;;) a % b"),
  builtin("JSON.stringify of much", "const a = Array(1e6).fill({ a: 1 }); for (;;) JSON.stringify(a)"),
  builtin("JSON.parse of much", "const t = '[' + '0,'.repeat(1e6) + '0]'; for (;;) JSON.parse(t)"),
  builtin("normalize of much", "'é'.repeat(5e6).normalize('NFKD').normalize('NFC')"),
  builtin("encodeURIComponent of much", "for (;;) encodeURIComponent('é'.repeat(1e6))"),
  builtin(
    "copies of a map",
    "const m = new Map(Array.from({ length: 2e5 }, (_, i) => [i, i])); for (;;) new Map(m)",
  ),
  builtin("unions of a set", "const s = new Set(Array(2e5).keys()); for (;;) s.union(s)"),
  builtin("a long program", "for (;;) eval('1' + '+1'.repeat(2e5))"),
];
