/** How a configuration of nats-server is written. */

export const quoted = (text: string) => JSON.stringify(text);
/** `$NAME` is read from the environment by the server. */
export const value = (text: string) => (/^\$[A-Z_]+$/.test(text) ? text : quoted(text));
export const service = (account: string, subject: string) =>
  `{ service: { account: ${quoted(account)}, subject: ${quoted(subject)} } }`;
export const stream = (account: string, subject: string) =>
  `{ stream: { account: ${quoted(account)}, subject: ${quoted(subject)} } }`;

export function list(lines: readonly string[], indent: number): string {
  const space = " ".repeat(indent);
  return `[\n${lines.map((line) => `${space}  ${line}\n`).join("")}${space}]`;
}
