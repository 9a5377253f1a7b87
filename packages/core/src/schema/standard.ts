/**
 * The Standard Schema and Standard JSON Schema interfaces (standardschema.dev), as far as they are used here. Copied
 * in structure so that schema libraries are recognised without depending on any of them.
 */

export interface StandardSchema<Input = unknown, Output = Input> {
  readonly "~standard": StandardProps<Input, Output>;
}

export interface StandardProps<Input = unknown, Output = Input> {
  readonly version: 1;
  readonly vendor: string;
  readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
  readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  readonly jsonSchema?: JsonSchemaConverter;
}

/** Branch on `issues`, never on the presence of `value`: a schema may well produce `undefined`. */
export type StandardResult<Output = unknown> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly StandardIssue[] };

export interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

interface JsonSchemaConverter {
  readonly input: (options: { target: string; libraryOptions?: object }) => Record<string, unknown>;
}

/** A schema is an object, or a function as with arktype; the marker is what counts. */
export function isStandardSchema(value: unknown): value is StandardSchema {
  if (value === null || (typeof value !== "object" && typeof value !== "function")) return false;
  const standard = (value as Record<string, unknown>)["~standard"];
  if (typeof standard !== "object" || standard === null) return false;
  const { vendor, validate } = standard as Record<string, unknown>;
  return typeof vendor === "string" && typeof validate === "function";
}
