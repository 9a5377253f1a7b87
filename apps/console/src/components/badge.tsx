import type { Blame, ToolLine } from "@toolrig/server/wire";
import type { ComponentChildren } from "preact";
import { BLAME_WORDS } from "../format/words.ts";

/** A word in a frame. */
export function Badge({
  children,
  title,
  tone = "",
}: {
  children: ComponentChildren;
  title?: string;
  tone?: "" | "loud" | "accent";
}) {
  return (
    <span class={`badge ${tone}`} title={title}>
      {children}
    </span>
  );
}

/** Whose fault it is: a dot of its colour and its name. */
export function BlameBadge({ blame, children }: { blame: Blame; children?: ComponentChildren }) {
  return (
    <span class={`blame blame-${blame}`} title={BLAME_WORDS[blame]}>
      <i class="dot" />
      {children ?? blame}
    </span>
  );
}

/** How far a tool can reach, and whether it may be repeated. */
export function SafetyBadge({ safety }: { safety: ToolLine["safety"] }) {
  const title = [
    SAFETY_WORDS[safety.sideEffects],
    safety.idempotent ? "may be repeated" : "never repeated by itself",
    ...(safety.requires.length > 0 ? [`needs ${safety.requires.join(", ")}`] : []),
    ...(safety.declared ? [] : ["not declared, so treated as the most careful"]),
  ].join("; ");
  return (
    <span class={`badge safety-${safety.sideEffects}`} title={title}>
      {safety.sideEffects}
      {safety.idempotent ? "" : " · once"}
      {safety.declared ? "" : " ?"}
    </span>
  );
}

const SAFETY_WORDS = {
  none: "changes nothing and reads nothing",
  read: "reads, changes nothing",
  write: "changes what is here",
  external: "changes the world outside",
} as const;
