import type { CallState, PolicyAnswer } from "@toolrig/server/wire";
import { Glyph } from "../../components/glyph.tsx";
import { visible } from "../../format/visible.ts";

const SHAPES: Record<PolicyAnswer["verdict"], CallState> = {
  allow: "ok",
  deny: "failed",
  ask: "waiting",
  refused: "failed",
};
const WORDS: Record<PolicyAnswer["verdict"], string> = {
  allow: "Allowed",
  deny: "Denied",
  ask: "Asks first",
  refused: "Refused before any rule is asked",
};

/** The verdict, the sentence, and every rule that was looked at on the way to it. */
export function Answer({ answer: { verdict, sentence, rule, rules } }: { answer: PolicyAnswer }) {
  return (
    <section class="policy-answer" role="status">
      <h2>
        <Glyph
          state={SHAPES[verdict]}
          blame={verdict === "refused" ? "model" : "policy"}
          label={WORDS[verdict]}
        />{" "}
        {WORDS[verdict]}
      </h2>
      <p class="prose">{visible(sentence)}</p>
      {rule !== undefined && (
        <p class="quiet">
          Decided by <strong>{visible(rule)}</strong>
        </p>
      )}
      {rules.length > 0 && (
        <ol>
          {rules.map(({ name, matched, why }, index) => (
            <li key={index} class={matched ? "matched" : ""}>
              <span>{visible(name)}</span> <span class="quiet">{visible(why)}</span>
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}
