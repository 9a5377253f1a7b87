import type { ContentBlock } from "@modelcontextprotocol/server";
import type { ContentPart } from "@toolrig/core";
import { defined } from "@toolrig/core/kit";

/** Content as MCP has it. A resource that comes without its text or its bytes is a link, which is read on its own. */
export function toMcpContent(content: readonly ContentPart[]): ContentBlock[] {
  return content.map(toMcpBlock);
}

function toMcpBlock(part: ContentPart): ContentBlock {
  switch (part.type) {
    case "text":
      return { type: "text", text: part.text };
    case "image":
    case "audio":
      return { type: part.type, data: part.data, mimeType: part.mimeType };
    case "resource": {
      const { uri, mimeType, text, data, name = nameOf(uri), title, description, size } = part;
      const type = defined({ mimeType });
      if (data !== undefined) return { type: "resource", resource: { uri, blob: data, ...type } };
      if (text !== undefined) return { type: "resource", resource: { uri, text, ...type } };
      return { type: "resource_link", uri, name, ...type, ...defined({ title, description, size }) };
    }
  }
}

/** The last part of a URI that says something. */
function nameOf(uri: string): string {
  return /([^/?#]+)[/]?(?:[?#].*)?$/.exec(uri)?.[1] ?? uri;
}
