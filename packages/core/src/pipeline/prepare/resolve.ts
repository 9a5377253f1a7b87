import type { ToolResult } from "../../call/result.ts";
import { nearestNames } from "../../nearest.ts";
import { allowlistOf } from "../../source/allowlist.ts";
import { olderAvailable } from "../../source/source.ts";
import type { AnyTool } from "../../tool/tool.ts";
import { mayBeMade, vendorName } from "../../tool/vendor-name.ts";
import { isRange } from "../../tool/version.ts";
import { unavailable } from "../availability.ts";
import { Execution, type Resolved } from "../execution.ts";
import { refuseBeyondCaller, refuseTooDeep } from "./nested.ts";
import { shownName } from "./shown-name.ts";

const MAX_NAMES = 20;

/** Finds the tool a call names: its newest version, or the newest that is available. A result when there is none, or when it may or can not be called. */
export function resolve(execution: Execution): Resolved | ToolResult {
  const { call, services } = execution;
  // A call under way may finish while the executor drains, so the calls it makes are taken.
  if (services.closed !== undefined && execution.parent === undefined)
    return execution.failed({ code: "TOOL_UNAVAILABLE", message: services.closed });
  const tooDeep = refuseTooDeep(execution);
  if (tooDeep !== undefined) return tooDeep;
  if (call.version !== undefined && !isRange(call.version)) {
    const message = `"${call.version}" is not a version range; use for example "1.2.0", "^1.2" or "2.x".`;
    return execution.failed({ kind: "validation", message });
  }
  const told = toldAs(execution);
  if (told !== undefined && services.source.get(call.name) !== undefined) return ambiguous(execution);
  const tool = services.source.get(told ?? call.name, call.version);
  if (tool === undefined) return notFound(execution);
  const answer = admit(execution, tool);
  if (answer instanceof Execution || answer.failure?.code !== "TOOL_UNAVAILABLE") return answer;
  const older = olderAvailable(services.source, tool, call.version);
  return older === undefined ? answer : admit(execution, older);
}

function admit(execution: Execution, tool: AnyTool): Resolved | ToolResult {
  const { services } = execution;
  if (!isWithin(execution, tool)) return notFound(execution);
  const refusal = services.allow(tool, services.source);
  if (refusal !== undefined) return execution.failed({ code: "TOOL_NOT_ALLOWED", message: refusal });
  const resolved = execution.resolveTo(tool);
  return refuseBeyondCaller(resolved) ?? unavailable(resolved) ?? resolved;
}

/** Whether the tool is there for this call: one that was narrowed is told nothing of others. */
function isWithin({ options: { allow }, services }: Execution, tool: AnyTool): boolean {
  return allow === undefined || allowlistOf(allow)(tool, services.source) === undefined;
}

/** The tool that vendors are told of under this name, where they do not take its own. */
function toldAs({ call, services }: Execution): string | undefined {
  if (typeof call.name !== "string" || !mayBeMade(call.name)) return undefined;
  const isTold = ({ name }: AnyTool) => name !== call.name && vendorName(name) === call.name;
  return services.source.tools().find(isTold)?.name;
}

/** Anybody can give a tool the name that vendors are told for another: whose call it is, nobody can say. */
function ambiguous(execution: Execution): ToolResult {
  const name = shownName(execution.call.name);
  const message =
    `"${name}" did not run: one tool is called that, and models are told of another under that name. ` +
    "Call the other by its own name; to call this one, give it another name.";
  return execution.failed({ code: "TOOL_NOT_FOUND", message });
}

function notFound(execution: Execution): ToolResult {
  const { call, services } = execution;
  const callable = services.source
    .tools()
    .filter((tool) => isWithin(execution, tool) && services.allow(tool, services.source) === undefined);
  const versions = callable
    .filter((tool) => tool.name === call.name)
    .map((tool) => tool.version ?? "unversioned");
  if (versions.length > 0) {
    const message = `${call.name} has no version in "${call.version}". There is: ${versions.join(", ")}.`;
    return execution.failed({ code: "TOOL_NOT_FOUND", message, details: { versions } });
  }
  const names = [...new Set(callable.filter(isAvailable).map((tool) => tool.name))];
  const nearest = nearestNames(call.name, names);
  const message = [
    `There is no tool called "${shownName(call.name)}".`,
    nearest.length === 0 ? "" : ` Did you mean ${nearest.join(" or ")}?`,
    names.length === 0 ? " No tools are available." : ` Available: ${listed(names)}.`,
  ].join("");
  return execution.failed({
    code: "TOOL_NOT_FOUND",
    message,
    details: { nearest, available: names.slice(0, MAX_NAMES) },
  });
}

function isAvailable(tool: AnyTool): boolean {
  return tool.available() === true;
}

function listed(names: readonly string[]): string {
  const shown = names.slice(0, MAX_NAMES).join(", ");
  return names.length > MAX_NAMES ? `${shown} and ${names.length - MAX_NAMES} more` : shown;
}
