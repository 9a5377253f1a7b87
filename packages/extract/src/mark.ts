import type { ExtractFamily, Opening } from "./family.ts";

/** What a literal in the text may begin. */
export type Mark =
  | { readonly kind: "call"; readonly family: ExtractFamily; readonly opening: Opening }
  | { readonly kind: "reasoning"; readonly close: string }
  | { readonly kind: "reasoning-end" }
  /** `lasting` blocks reach to the end of the text if they are never closed; others are then not blocks at all. */
  | { readonly kind: "opaque"; readonly close: string; readonly lasting: boolean }
  | { readonly kind: "turn-end"; readonly line: boolean }
  | { readonly kind: "element" }
  | { readonly kind: "code" }
  | { readonly kind: "quote" };
