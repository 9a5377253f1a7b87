import { ToolrigError } from "@toolrig/core";

const REFERENCE = /\$\{env:([A-Za-z_][A-Za-z0-9_]*)\}/g;

/**
 * Settings with `${env:NAME}` replaced by that variable of this process. What is kept of a connection holds the references: a secret is
 * read when the connection is made and written nowhere. Throws `OPTION_INVALID` for one that is not set.
 */
export function withReferences(
  where: string,
  values: Readonly<Record<string, string>>,
): Record<string, string> {
  const resolved = Object.entries(values).map(([name, value]) => [
    name,
    value.replaceAll(REFERENCE, (_, variable: string) => {
      const found = process.env[variable];
      if (found !== undefined) return found;
      throw new ToolrigError(
        "OPTION_INVALID",
        `${where}.${name} refers to the variable ${variable}, which is not set in this process`,
      );
    }),
  ]);
  return Object.fromEntries(resolved) as Record<string, string>;
}
