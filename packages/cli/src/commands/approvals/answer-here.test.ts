import { describe, expect, test } from "vitest";
import { hasTerminal, onTerminal } from "../../../test/terminal.ts";
import { configOf, project } from "../../../test/toolrig-process.ts";

const send = `tool({ name: "send_mail", description: "Send",
  input: { type: "object", properties: { to: { type: "string" } }, required: ["to"] }, execute: ({ to }) => "sent to " + to })`;
const policy = `policy: { rules: [{ when: { tool: "send_mail" }, verdict: "ask", reason: "mail leaves the house" }] }`;
const folder = (settings = "") =>
  project({
    "toolrig.config.ts": configOf(send, `${policy}, ${settings}`),
    "script.json": `[{ "calls": [{ "name": "send_mail", "arguments": { "to": "ada" } }, { "name": "send_mail", "arguments": { "to": "bob" } }] }, "Done."]`,
  });
const call = ["call", "send_mail", '{"to": "ada"}'];
const columns = 160;
const ASKED = /Let it run\?.*: $/;

describe.skipIf(!hasTerminal)("on a terminal", { concurrent: true }, () => {
  test("a call that asks is answered where it was made", async () => {
    const shown = await onTerminal(call, {
      cwd: folder(`store: "toolrig.db"`),
      columns,
      typed: [
        [ASKED, "what\n"],
        [/(Let it run\?[\s\S]*){2}: $/, "y\n"],
      ],
    });
    expect(shown).toContain("because    policy: mail leaves the house");
    expect(shown).toContain("(l)eave it waiting");
    expect(shown).toMatch(/sent to ada\n$/);
  });

  test("arguments are edited in the editor, again where they could not run", async () => {
    const cwd = folder();
    const shown = await onTerminal(call, {
      cwd,
      env: {
        EDITOR: `sh -c 'test -e again && echo "{\\"to\\": \\"bob\\"}" > "$1" || echo "{}" > "$1"; touch again' sh`,
      },
      typed: [
        [ASKED, "e\n"],
        [/cannot be called with these arguments[\s\S]*: $/, "e\n"],
      ],
    });
    expect(shown).not.toContain("(l)eave it waiting");
    expect(shown).toMatch(/sent to bob\n$/);
  });

  test("a run asks one question after the other", async () => {
    const shown = await onTerminal(["run", "Mail both", "-m", "script:script.json"], {
      cwd: folder(`store: "toolrig.db"`),
      columns,
      typed: [
        [/"ada"[\s\S]*Let it run\?.*: $/, "n\n"],
        [/Why.*: $/, "not her\n"],
        [/"bob"[\s\S]*Let it run\?.*: $/, "y\n"],
      ],
    });
    expect(shown).toContain("send_mail did not run: not her.");
    expect(shown).toContain("→ sent to bob");
    expect(shown).toMatch(/Done\.\n$/);
  });

  test("whoever goes away without an answer has said no, where nothing keeps the question", async () => {
    const shown = await onTerminal(call, { cwd: folder(), columns, typed: [[ASKED, "\u0004"]] });
    expect(shown).toContain("send_mail did not run: nobody answered.");
  });
});
