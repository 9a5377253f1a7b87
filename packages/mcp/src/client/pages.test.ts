import { expect, test } from "vitest";
import { limitsOf } from "../defence/limits.ts";
import { Pages } from "./pages.ts";

test("no further page is read of a list that has more characters than all definitions may have", async () => {
  const listed = new Pages(limitsOf({ definitions: 1_000 }));
  let read = 0;
  await listed.readAll(async () => {
    read += 1;
    listed.add([{ name: `tool_${read}`, description: "x".repeat(400) }]);
    return `page ${read}`;
  });
  expect(read).toBe(3);
  expect(listed.items).toHaveLength(3);
});

test("pages end at their number, at the number of items, and at a cursor that is repeated or no text", async () => {
  const readOf = async (limits: object, cursorAfter: (page: number) => unknown) => {
    const listed = new Pages(limitsOf(limits));
    let read = 0;
    await listed.readAll(async () => {
      listed.add([read, read]);
      read += 1;
      return cursorAfter(read);
    });
    return read;
  };
  expect(await readOf({ pages: 3 }, String)).toBe(3);
  expect(await readOf({ tools: 4 }, String)).toBe(3);
  expect(await readOf({}, () => "same")).toBe(2);
  expect(await readOf({ cursor: 2 }, () => "long")).toBe(1);
  expect(await readOf({}, () => 7)).toBe(1);
});
