import { expect, test } from "vitest";
import { References } from "./references.ts";

test("a part of a recursive schema is the same schema on its own each time, so that it is compiled once", () => {
  const references = new References(
    {
      type: "object",
      properties: { root: { $ref: "#/$defs/node" } },
      $defs: {
        node: {
          anyOf: [{ type: "object", properties: { next: { $ref: "#/$defs/node" } } }, { type: "string" }],
        },
      },
    },
    10,
  );
  const { anyOf } = references.get("node") as { anyOf: readonly unknown[] };
  const [branch] = anyOf;
  expect(references.standalone(branch)).toMatchObject({ type: "object", $defs: references.defs });
  expect(references.standalone(branch)).toBe(references.standalone(branch));
});
