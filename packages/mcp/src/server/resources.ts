import {
  type ReadResourceResult,
  type Resource,
  type ResourceTemplateType,
  UriTemplate,
} from "@modelcontextprotocol/server";
import type { ContentPart, ToolDefinition, ToolResult } from "@toolrig/core";
import { defined } from "@toolrig/core/kit";
import type { McpResource } from "./options.ts";

/** A resource that a tool reads. */
export interface ReadableResource extends McpResource {
  readonly isTemplate: boolean;
  /** What the tool is called with for a URI; undefined when it is not one of this resource's. */
  match(uri: string): Readonly<Record<string, unknown>> | undefined;
}

export function readable(resource: McpResource): ReadableResource {
  const isTemplate = UriTemplate.isTemplate(resource.uri);
  const template = isTemplate ? new UriTemplate(resource.uri) : undefined;
  return {
    ...resource,
    isTemplate,
    match(uri) {
      if (template === undefined) return uri === resource.uri ? {} : undefined;
      return isTooLong(uri, resource.uri) ? undefined : (template.match(uri) ?? undefined);
    },
  };
}

const MAX_URI = 4_000;
/** Ways to share a URI out among variables that may be tried: the SDK's expression for a template backtracks. */
const MAX_WAYS = 10_000_000;

/** Whether it could take long to say that a URI is not of a template. */
function isTooLong(uri: string, template: string): boolean {
  // Most variables end at a slash: those of one segment share out that segment alone.
  const isWide = /\{[+#?&]/.test(template);
  const longest = Math.max(...(isWide ? [uri] : uri.split("/")).map((segment) => segment.length));
  const segments = template.replaceAll("{/", "/{").split("/");
  const most = Math.max(...(isWide ? [template] : segments).map((segment) => segment.split("{").length - 1));
  return uri.length > MAX_URI || longest ** most > MAX_WAYS * factorial(most);
}

function factorial(count: number): number {
  return count < 2 ? 1 : count * factorial(count - 1);
}

/** Undefined while the tool that reads it is not there. */
export function toResource(resource: McpResource, tool: ToolDefinition | undefined): Resource | undefined {
  return tool === undefined ? undefined : { uri: resource.uri, ...shown(resource, tool) };
}

export function toTemplate(
  resource: McpResource,
  tool: ToolDefinition | undefined,
): ResourceTemplateType | undefined {
  return tool === undefined ? undefined : { uriTemplate: resource.uri, ...shown(resource, tool) };
}

function shown({ name, description, mimeType }: McpResource, tool: ToolDefinition) {
  return {
    name: name ?? tool.name,
    description: description ?? tool.description,
    ...defined({ mimeType }),
  };
}

/** What a tool returned as the contents of a resource. */
export function toContents(uri: string, resource: McpResource, result: ToolResult): ReadResourceResult {
  return { contents: result.content.map((part) => toContent(uri, resource.mimeType, part)) };
}

function toContent(uri: string, mimeType: string | undefined, part: ContentPart) {
  if (part.type === "text") return { uri, mimeType: mimeType ?? "text/plain", text: part.text };
  const { data, mimeType: own } = part;
  if (data !== undefined) return { uri, mimeType: mimeType ?? own ?? "application/octet-stream", blob: data };
  const text = part.type === "resource" ? part.text : undefined;
  return { uri, mimeType: mimeType ?? own ?? "text/plain", text: text ?? "" };
}
