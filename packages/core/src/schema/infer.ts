/**
 * Types only: what `execute` receives for one schema and may return for another. Structural throughout, so that no schema
 * library is imported.
 */

/**
 * The arguments' type for a schema `S`: the output of a Standard Schema, the static type of a TypeBox type, the type
 * of an AI SDK schema, or what a literal JSON Schema describes. A schema whose type says nothing gives
 * `Record<string, unknown>`.
 */
export type InferInput<S> = unknown extends S
  ? OpenObject
  : S extends { readonly "~standard": { readonly types?: infer Types } }
    ? OutputOf<Types>
    : S extends { readonly static: infer Static; readonly params: unknown[] }
      ? Static
      : S extends { readonly _type: infer Output; readonly jsonSchema: unknown }
        ? Output
        : S extends () => { readonly _type: infer Output; readonly jsonSchema: unknown }
          ? Output
          : S extends object
            ? ObjectOr<FromJsonSchema<S, S>>
            : OpenObject;

/**
 * The values that `execute` may return for an `output` schema `S`: the input of a Standard Schema, which may transform it, and
 * what any other schema describes. `unknown` for a schema whose type says nothing.
 */
export type InferReturn<S> = unknown extends S
  ? unknown
  : S extends { readonly "~standard": { readonly types?: infer Types } }
    ? NonNullable<Types> extends { readonly input: infer Input }
      ? Acceptable<Input>
      : unknown
    : string extends keyof InferInput<S>
      ? S extends { readonly type: "object" }
        ? object
        : unknown
      : Acceptable<InferInput<S>>;

/**
 * A value as it is returned: constants are inferred as their type, lists may be readonly, and an object without known keys may be of
 * any class.
 */
type Acceptable<T> = unknown extends T
  ? unknown
  : T extends string
    ? string
    : T extends number
      ? number
      : T extends boolean
        ? boolean
        : T extends bigint | symbol | null | undefined | ((...args: never) => unknown)
          ? T
          : T extends readonly unknown[]
            ? { readonly [Index in keyof T]: Acceptable<T[Index]> }
            : string extends keyof T
              ? object
              : { readonly [Key in keyof T]: Acceptable<T[Key]> | Absent<T, Key> };

/** An optional property may be there without a value. */
type Absent<T, Key extends keyof T> = object extends Pick<T, Key> ? undefined : never;

type OpenObject = Record<string, unknown>;

type OutputOf<Types> = NonNullable<Types> extends { readonly output: infer Output } ? Output : OpenObject;

type ObjectOr<T> = unknown extends T ? OpenObject : T;

/** The type a JSON Schema describes. `Root` resolves local references. */
type FromJsonSchema<S, Root> = S extends true
  ? unknown
  : S extends false
    ? never
    : S extends { readonly "~unsafe": infer Unsafe }
      ? Unsafe
      : S extends { readonly nullable: true }
        ? FromKeywords<S, Root> | null
        : FromKeywords<S, Root>;

type FromKeywords<S, Root> = S extends { readonly const: infer Value }
  ? Value
  : S extends { readonly enum: readonly (infer Value)[] }
    ? Value
    : S extends { readonly $ref: infer Ref }
      ? FromReference<Ref, Root>
      : S extends { readonly properties: object }
        ? FromObject<S, Root>
        : S extends { readonly anyOf: readonly (infer Branch)[] }
          ? FromJsonSchema<Branch, Root>
          : S extends { readonly oneOf: readonly (infer Branch)[] }
            ? FromJsonSchema<Branch, Root>
            : S extends { readonly allOf: infer Parts }
              ? Intersection<Parts, Root>
              : S extends { readonly type: infer Type }
                ? Type extends readonly (infer Each)[]
                  ? FromType<Each, S, Root>
                  : FromType<Type, S, Root>
                : unknown;

type FromType<Type, S, Root> = string extends Type
  ? unknown
  : Type extends "string"
    ? string
    : Type extends "number" | "integer"
      ? number
      : Type extends "boolean"
        ? boolean
        : Type extends "null"
          ? null
          : Type extends "array"
            ? FromArray<S, Root>
            : Type extends "object"
              ? FromObject<S, Root>
              : unknown;

type FromArray<S, Root> = S extends { readonly prefixItems: infer Items extends readonly unknown[] }
  ? FromTuple<Items, Root>
  : S extends { readonly items: infer Items extends readonly unknown[] }
    ? FromTuple<Items, Root>
    : S extends { readonly items: infer Item }
      ? FromJsonSchema<Item, Root>[]
      : unknown[];

type FromTuple<Items extends readonly unknown[], Root> = {
  -readonly [Index in keyof Items]: FromJsonSchema<Items[Index], Root>;
};

type FromObject<S, Root> = S extends { readonly properties: infer Properties }
  ? Simplify<
      {
        -readonly [Key in keyof Properties as Key extends RequiredKeys<S> ? Key : never]: FromJsonSchema<
          Properties[Key],
          Root
        >;
      } & {
        -readonly [Key in keyof Properties as Key extends RequiredKeys<S> ? never : Key]?: FromJsonSchema<
          Properties[Key],
          Root
        >;
      } & (S extends { readonly additionalProperties: true | object } ? OpenObject : unknown)
    >
  : S extends { readonly additionalProperties: infer Value extends object }
    ? Record<string, FromJsonSchema<Value, Root>>
    : S extends { readonly patternProperties: infer Patterns }
      ? Record<string, FromJsonSchema<Patterns[keyof Patterns], Root>>
      : OpenObject;

/** A `required` list that is not literal says nothing about any one property, which is then optional. */
type RequiredKeys<S> = S extends { readonly required: readonly (infer Key)[] }
  ? string extends Key
    ? never
    : Key
  : never;

type FromReference<Ref, Root> = Ref extends "#"
  ? FromJsonSchema<Root, Root>
  : Ref extends `#/$defs/${infer Name}`
    ? FromDefinition<Root, "$defs", Name>
    : Ref extends `#/definitions/${infer Name}`
      ? FromDefinition<Root, "definitions", Name>
      : unknown;

type FromDefinition<Root, Where extends string, Name> = Root extends {
  readonly [K in Where]: infer Definitions;
}
  ? Name extends keyof Definitions
    ? FromJsonSchema<Definitions[Name], Root>
    : unknown
  : unknown;

type Intersection<Parts, Root> = Parts extends readonly [infer First, ...infer Rest]
  ? FromJsonSchema<First, Root> & Intersection<Rest, Root>
  : unknown;

type Simplify<T> = { [Key in keyof T]: T[Key] };
