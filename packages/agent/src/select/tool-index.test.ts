import { type AnyTool, tool } from "@toolrig/core";
import { expect, test } from "vitest";
import { ToolIndex } from "./tool-index.ts";

function named(name: string, description: string, changes: Partial<AnyTool> = {}): AnyTool {
  return { ...tool({ name, description, input: { type: "object" }, execute: () => "ok" }), ...changes };
}

const namesOf = (tools: readonly AnyTool[]) => tools.map(({ name }) => name);

test("a tool whose available() throws does not leave its scores to the next request", () => {
  let broken = true;
  const index = new ToolIndex([
    named("read_file", "Read a file from disk"),
    named("read_mail", "Read a mail", {
      available() {
        if (broken) throw new Error("no connection");
        return true;
      },
    }),
  ]);
  const before = index.rank("disk", 5);
  expect(() => index.rank("read a mail", 5)).toThrow("no connection");
  broken = false;
  expect(index.rank("disk", 5)).toEqual(before);
});

test("a tool that searches the index while it is asked does not disturb the search", () => {
  const index: ToolIndex = new ToolIndex([
    named("send_mail", "Send a mail", {
      available: () => (index.select("file", 1).length === 1 ? true : "nothing to send"),
    }),
    named("read_mail", "Read a mail"),
    named("read_file", "Read a file"),
  ]);
  expect(namesOf(index.select("read or send a mail", 5))).toEqual(["send_mail", "read_mail", "read_file"]);
});

test("finds what may be shown behind any number of better ones that may not", () => {
  const tools = Array.from({ length: 300 }, (_, index) =>
    named(`mail_${String(index).padStart(3, "0")}`, "Mail"),
  );
  const index = new ToolIndex(tools);
  const shows = ({ name }: AnyTool) => name >= "mail_290";
  expect(namesOf(index.select("mail", 3, { shows }))).toEqual(["mail_290", "mail_291", "mail_292"]);
  expect(index.select("mail", 20, { shows })).toHaveLength(10);
  expect(index.select("mail", 0)).toEqual([]);
  expect(index.select("mail", Number.POSITIVE_INFINITY)).toHaveLength(300);
});

test("a weight of 0 is never chosen, and a tiny one is chosen once", () => {
  const weighing = (name: string, weight: number) => named(name, "Send a mail", { preference: { weight } });
  const index = new ToolIndex([weighing("mail_a", 0), weighing("mail_b", 1e-300), weighing("mail_c", 1)]);
  expect(namesOf(index.select("send mail", 5))).toEqual(["mail_c", "mail_b"]);
});

test("a misspelt word finds its tool, behind those that are spelt like the request", () => {
  const index = new ToolIndex([
    named("get_weather", "Tells the weather"),
    named("get_wether", "Tells where the sheep is"),
    named("get_time", "Tells the time"),
  ]);
  expect(namesOf(index.select("wheather", 5))).toContain("get_weather");
  expect(namesOf(index.select("wether", 5))).toEqual(["get_wether"]);
});

test("of a page of unknown words only the first few are looked at", () => {
  const index = new ToolIndex([named("get_weather", "Tells the weather")]);
  const unheard = [..."abcdefghijklmnop"].map((letter) => `xyz${letter}`);
  expect(index.select(`${unheard.slice(1).join(" ")} wether`, 5)).toHaveLength(1);
  expect(index.select(`${unheard.join(" ")} wether`, 5)).toEqual([]);
  expect(index.select(`${unheard.join(" ")} weather`, 5)).toHaveLength(1);
});
