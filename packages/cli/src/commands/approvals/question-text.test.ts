import type { ApprovalEntry } from "@toolrig/core/kit";
import { afterEach, expect, test } from "vitest";
import { redactWith } from "../../terminal/redaction.ts";
import { questionPages, reasonsOf } from "./question-text.ts";

afterEach(() => void redactWith(undefined));

const entry: ApprovalEntry = {
  pending: {
    executionId: "exec_1",
    fingerprint: "f1",
    callId: "c1",
    name: "pay",
    provider: "bank-zebra-secret",
    args: { memo: "zebra-secret" },
    principal: { id: "bob zebra-secret" },
    source: "model",
    reasons: ["money for zebra-secret", "password=hunter2"],
    askedBy: ["policy", "token"],
    createdAt: 0,
  },
};

test("no line of a question has a secret in it, whoever wrote it", () => {
  redactWith({ values: ["zebra-secret"] });
  const shown = questionPages(entry).flat().join("\n");
  expect(shown).not.toMatch(/zebra|hunter2/);
  expect(shown).toContain("because    policy: money for [redacted]\n");
  expect(shown).toContain("for        bob [redacted]\n");
});

test("the name of a guard does not make a secret of what it says", () => {
  expect(reasonsOf({ ...entry.pending, reasons: ["money"], askedBy: ["password"] })).toEqual([
    "password: money",
  ]);
});
