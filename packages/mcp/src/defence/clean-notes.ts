import type { ResourcePart } from "@toolrig/core";
import { defined, isRecord } from "@toolrig/core/kit";
import { cleanLine } from "./clean-text.ts";
import { cleanValue } from "./clean-value.ts";
import { measure } from "./measure.ts";

/** What a part of content may say beside its content. */
type PartNotes = Pick<ResourcePart, "annotations" | "meta">;

/** Characters of one `_meta`, as JSON, and how deeply it is nested. */
const META = { size: 64_000, depth: 40 };
/** Keys that the protocol and Toolrig give their meaning: no server speaks for them. */
const RESERVED = /^(?:[\w.-]*\.)?(?:modelcontextprotocol|mcp)[\w.-]*\/|^toolrig\//;
const MAX_ICONS = 10;
const ICON = { size: 64_000, depth: 3 };
/** As the protocol wants it: a picture that is fetched safely, or that is there already. */
const ICON_SOURCE = /^(?:https:\/\/|data:image\/[\w.+-]+[;,])/i;
const MAX_SOURCE = 32_000;

/** `_meta` of a server without hidden characters and without keys that are the protocol's own. What is too large says so in its place. */
export function cleanMeta(meta: unknown): Record<string, unknown> | undefined {
  if (!isRecord(meta)) return undefined;
  const { size, depth } = measure(meta, META);
  if (size > META.size || depth > META.depth)
    return { "toolrig/leftOut": `_meta of over ${META.size} characters or ${META.depth} levels` };
  // Names are judged as clients read them: a hidden character in front of a reserved one would be gone by then.
  const clean = Object.entries(cleanValue(meta) as Record<string, unknown>);
  const kept = clean.filter(([key]) => !RESERVED.test(key));
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}

/** Who something is for, how much it matters, and since when it is as it is. What has another shape is left out. */
export function cleanAnnotations(given: unknown): PartNotes["annotations"] {
  if (!isRecord(given)) return undefined;
  const { audience, priority, lastModified } = given;
  const clean: NonNullable<PartNotes["annotations"]> = {};
  if (Array.isArray(audience) && audience.length <= 2 && audience.every(isReader))
    clean.audience = [...audience];
  if (typeof priority === "number" && priority >= 0 && priority <= 1) clean.priority = priority;
  if (typeof lastModified === "string" && DATE.test(lastModified)) clean.lastModified = lastModified;
  return Object.keys(clean).length === 0 ? undefined : clean;
}

const isReader = (value: unknown): value is "user" | "assistant" => value === "user" || value === "assistant";
const DATE = /^\d{4}-\d\d-\d\d(?:T[\d:.]{5,20}(?:Z|[+-]\d\d:\d\d)?)?$/;

type Icons = NonNullable<ResourcePart["icons"]>;

/** Pictures by https: or data: addresses, at most ten. Nothing is fetched here. */
export function cleanIcons(given: unknown): Icons | undefined {
  if (!Array.isArray(given)) return undefined;
  const icons = given.slice(0, MAX_ICONS).flatMap((each) => iconOf(each) ?? []);
  return icons.length === 0 ? undefined : icons;
}

function iconOf(given: unknown): Icons[number] | undefined {
  const { size, depth } = measure(given, ICON);
  if (!isRecord(given) || size > ICON.size || depth > ICON.depth) return undefined;
  const { src, mimeType, sizes, theme } = given;
  if (typeof src !== "string" || src.length > MAX_SOURCE || !ICON_SOURCE.test(src) || /\s/.test(src))
    return undefined;
  return {
    src,
    ...(typeof mimeType === "string" && { mimeType: cleanLine(mimeType, 100) }),
    ...(Array.isArray(sizes) && { sizes: sizes.slice(0, 20).map((each) => cleanLine(String(each), 20)) }),
    ...((theme === "light" || theme === "dark") && { theme }),
  };
}

/** The notes of a part of content. */
export function cleanNotes({ annotations, _meta }: { annotations?: unknown; _meta?: unknown }): PartNotes {
  return defined({ annotations: cleanAnnotations(annotations), meta: cleanMeta(_meta) });
}
