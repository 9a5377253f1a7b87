import { Registry, type ToolList, type ToolSource } from "@toolrig/core";

/** Tools in whatever form they were given, as a source. */
export function sourceOf(tools: ToolList | ToolSource): ToolSource {
  return isSource(tools) ? tools : new Registry(tools);
}

function isSource(tools: ToolList | ToolSource): tools is ToolSource {
  const { tools: list, get } = tools as Partial<ToolSource>;
  return typeof list === "function" && typeof get === "function";
}
