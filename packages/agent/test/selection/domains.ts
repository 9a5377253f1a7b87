import { Registry, tool } from "@toolrig/core";
import { LIFE } from "./domains-life.ts";
import { WORK } from "./domains-work.ts";

const LINE = /^(\w+)\((.*)\): (.+)$/;

/** 200 tools of ten fields, each field a provider. */
export function domainTools(): Registry {
  const registry = new Registry();
  for (const [provider, lines] of Object.entries({ ...WORK, ...LIFE })) {
    for (const line of lines.trim().split("\n")) {
      const [, name = "", parameters = "", description = ""] = LINE.exec(line) ?? [];
      const names = parameters === "" ? [] : parameters.split(", ");
      const properties = Object.fromEntries(names.map((each) => [each, {}]));
      const made = tool({ name, description, input: { type: "object", properties }, execute: () => "ok" });
      registry.add(made, { provider });
    }
  }
  return registry;
}
