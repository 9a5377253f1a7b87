import { join } from "node:path";
import { expect, test } from "vitest";
import { filesUsedBy } from "./files-used-by.ts";

const root = join(import.meta.dirname, "..");
const usedBy = (file: string) => filesUsedBy([join(root, file)]);

test("a test of the fleet uses nats-server, and no other framework", () => {
  const used = usedBy("packages/nats/src/caller/executor.test.ts");
  expect(used).toContain("scripts/nats-server.ts");
  expect(used.filter((file) => file.startsWith("packages/interop/"))).toEqual([]);
});

test("a test of core uses neither servers nor frameworks nor a browser", () => {
  const used = usedBy("packages/core/src/guards/budget.test.ts");
  expect(used.length).toBeGreaterThan(1);
  expect(used.filter((file) => file.startsWith("scripts/"))).toEqual([]);
});

test.each(["docs/links.test.ts", "docs/commands.test.ts", "scripts/test-needs.test.ts"])(
  "%s names proofs and needs, and uses none of them",
  (file) => {
    const used = usedBy(file).filter((each) =>
      /nats-server|chromium|packages\/interop\/|proofs\/\w+\//.test(each),
    );
    expect(used).toEqual([]);
  },
);

test("the quick proofs use what any proof does", () => {
  const used = usedBy("proofs/quick-1.test.ts");
  for (const file of ["scripts/nats-server.ts", "scripts/chromium.ts", "proofs/interop.ts"])
    expect(used).toContain(file);
});
