import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";

test("where generating code is forbidden, as on edge runtimes, schemas are evaluated with the same answers", () => {
  const url = new URL("./validate.ts", import.meta.url).href;
  const program = `
    const { validatorFor } = await import(${JSON.stringify(url)});
    const schema = { type: "object", properties: { a: { type: "integer", minimum: 1 } }, required: ["a"] };
    const { check, issues } = validatorFor(schema);
    let forbidden = false;
    try { new Function("return 1")(); } catch { forbidden = true; }
    console.log(JSON.stringify([forbidden, check({ a: 1 }), check({ a: 0 }), check({}), issues({})[0].path]));`;
  const flags = [
    "--disallow-code-generation-from-strings",
    "--no-warnings",
    "--input-type=module",
    "-e",
    program,
  ];
  const printed = execFileSync(process.execPath, flags, { encoding: "utf8" });
  expect(JSON.parse(printed)).toEqual([true, true, false, false, "/a"]);
});
