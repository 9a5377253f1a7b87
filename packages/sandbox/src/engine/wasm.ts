import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { Limits } from "./limits.ts";
import { PROTOCOL } from "./messages.ts";

/** QuickJS as the workers get it: compiled once, with a memory that cannot outgrow what its limits allow. */
export interface Wasm {
  readonly module: WebAssembly.Module;
  /** Tells engines apart: a snapshot is good for the one that made it. */
  readonly id: string;
  /** The most it can have. */
  readonly pages: number;
  readonly mostBytes: number;
}

const PAGE = 65_536;
const MIB = 1024 * 1024;

/** Cached by the size of the memory: sandboxes of a process mostly have the same limits. */
const compiled = new Map<number, Promise<Wasm>>();

export function loadWasm(limits: Limits): Promise<Wasm> {
  const pages = Math.ceil((limits.memory * 1.25 + limits.answer * 4 + 8 * MIB) / PAGE);
  let wasm = compiled.get(pages);
  if (wasm === undefined) {
    wasm = compileWasm(pages);
    compiled.set(pages, wasm);
  }
  return wasm;
}

/** Returns the file of the engine, for processes that compile it themselves. */
export function wasmFile(): URL {
  return new URL(import.meta.resolve("quickjs-wasi/quickjs.wasm"));
}

export async function compileWasm(pages: number): Promise<Wasm> {
  const bytes = await readFile(wasmFile());
  const hash = createHash("sha256").update(bytes).digest("hex");
  return {
    module: await WebAssembly.compile(withMemory(bytes, pages)),
    id: `quickjs-wasi/${PROTOCOL}/${hash}`,
    pages,
    mostBytes: pages * PAGE,
  };
}

const MEMORY_SECTION = 5;

/**
 * The same module, whose memory has a maximum: the heap's own limit counts what the engine asks for, and this is what it gets
 * even if that count were wrong.
 */
function withMemory(module: Uint8Array, maxPages: number): Uint8Array<ArrayBuffer> {
  let at = 8;
  while (at < module.length) {
    const section = at;
    const [size, begin] = readNumber(module, at + 1);
    at = begin + size;
    if (module[section] !== MEMORY_SECTION) continue;
    const [count, flagsAt] = readNumber(module, begin);
    const [flags, minAt] = readNumber(module, flagsAt);
    const [min] = readNumber(module, minAt);
    if (count !== 1 || flags > 1) break;
    const body = [1, 1, ...numberBytes(min), ...numberBytes(Math.max(min, maxPages))];
    const made = [MEMORY_SECTION, ...numberBytes(body.length), ...body];
    return Buffer.concat([module.subarray(0, section), Uint8Array.from(made), module.subarray(at)]);
  }
  throw new Error("quickjs.wasm does not declare its memory as expected; reinstall quickjs-wasi.");
}

/** LEB128, as WebAssembly writes numbers. */
function readNumber(bytes: Uint8Array, from: number): [value: number, next: number] {
  let [value, shift, at] = [0, 0, from];
  for (;;) {
    const byte = bytes[at++] ?? 0;
    value += (byte & 0x7f) * 2 ** shift;
    if (byte < 0x80) return [value, at];
    shift += 7;
  }
}

function numberBytes(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...numberBytes(Math.floor(value / 0x80))];
}
