import { existsSync, realpathSync, statSync } from "node:fs";
import { isAbsolute, relative, resolve, sep } from "node:path";
import { denied, ToolrigError } from "@toolrig/core";
import { check, messageOf } from "@toolrig/core/kit";
import { checkPathText, shownPath } from "./path-text.ts";

/** One or several folders. The first is where relative paths begin. */
export type RootsInput = string | readonly string[] | Roots;

/** A path as text says it, inside a root. Links are not looked at: opening it checks where it really leads. */
export interface Place {
  readonly absolute: string;
  /** How people and models are shown it: relative to the first root where it is in it. */
  readonly shown: string;
}

/** Files of the kernel that only look like files, wherever they are mounted by custom. */
const KERNEL = ["/proc", "/sys", "/dev"];

/** The folders that tools may touch. Their real paths are taken once, when they are given. */
export class Roots {
  /** Real paths. */
  readonly folders: readonly string[];
  /**
   * "descriptors": what was opened is checked, so that links swapped in between give nothing outside (Linux with /proc).
   * "paths": real paths are checked before and after opening, and who changes folders at the right moment may win.
   */
  readonly strength: "descriptors" | "paths";
  readonly #given: readonly string[];

  private constructor(given: readonly string[]) {
    this.#given = given.map((folder) => resolve(folder));
    this.folders = this.#given.map(realFolder);
    this.strength = process.platform === "linux" && existsSync("/proc/self/fd") ? "descriptors" : "paths";
  }

  /** Throws `OPTION_INVALID` for what is not a folder. */
  static of(given: RootsInput): Roots {
    if (given instanceof Roots) return given;
    const list = typeof given === "string" ? [given] : check.strings("roots", given, "a list of folders");
    for (const folder of list) check.string("root", folder);
    if (list.length === 0) throw check.invalid("roots", "a list of at least one folder", "an empty list");
    return new Roots(list);
  }

  get first(): string {
    return this.folders[0] as string;
  }

  /** Where a path is. Throws a failure for text that is no path, and for what lies outside all roots. */
  place(path: string): Place {
    checkPathText(path);
    let absolute = resolve(this.first, path);
    const alias = this.#given.findIndex((folder) => isIn(absolute, folder));
    if (!this.contains(absolute) && alias !== -1)
      absolute = resolve(this.folders[alias] as string, relative(this.#given[alias] as string, absolute));
    if (!this.contains(absolute)) throw this.outside(path);
    return { absolute, shown: this.shown(absolute) };
  }

  /** Whether a real path is in a root, and no file of the kernel's own. */
  contains(real: string): boolean {
    const root = this.folders.find((folder) => isIn(real, folder));
    if (root === undefined) return false;
    return !KERNEL.some((mount) => isIn(real, mount) && !isIn(root, mount));
  }

  /** Whether a real path is a root, or a folder that one is in. */
  holdsRoot(real: string): boolean {
    return this.folders.some((folder) => isIn(folder, real));
  }

  /** Whether files of the kernel's own are somewhere below a folder. */
  hasKernelBelow(real: string): boolean {
    return KERNEL.some((mount) => isIn(mount, real) && !this.contains(mount));
  }

  /** The root that a real path is in. */
  rootOf(real: string): string {
    const root = this.folders.find((folder) => isIn(real, folder));
    if (root === undefined) throw this.outside(real);
    return root;
  }

  shown(absolute: string): string {
    if (!isIn(absolute, this.first)) return absolute;
    return relative(this.first, absolute).split(sep).join("/") || ".";
  }

  /** What a folder's shown path is put before to show what is in it. */
  prefix(real: string): string {
    const shown = this.shown(real);
    if (shown === ".") return "";
    return shown.endsWith("/") ? shown : `${shown}/`;
  }

  outside(path: string) {
    return denied(
      `${shownPath(path)} is outside of what these tools may touch (${this.folders.map(shownPath).join(", ")}).`,
    );
  }
}

function isIn(path: string, folder: string): boolean {
  if (path === folder) return true;
  const way = relative(folder, path);
  return way !== "" && way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

function realFolder(folder: string): string {
  try {
    const real = realpathSync.native(folder);
    if (statSync(real).isDirectory()) return real;
  } catch (error) {
    throw new ToolrigError("OPTION_INVALID", `root ${folder} cannot be used: ${messageOf(error)}.`, {
      cause: error,
    });
  }
  throw new ToolrigError("OPTION_INVALID", `root ${folder} must be a folder.`);
}
