/**
 * Returns the address of a program that lies beside a module: `NAME.ts` where the module is TypeScript, else `NAME.js`. Throws a
 * `TypeError` in a bundle for CommonJS, where a module does not know its address. Call it when the program is started, not while
 * modules load.
 */
export function programBeside(moduleUrl: string | undefined, name: string): URL {
  if (moduleUrl === undefined) {
    const message =
      `The program "${name}" cannot be started from a bundle. ` +
      'Leave the package that starts it out of the bundle, for instance with "external" of esbuild.';
    throw new TypeError(message);
  }
  return new URL(`./${name}${/\.[a-z]+$/.exec(moduleUrl)?.[0] ?? ".js"}`, moduleUrl);
}
