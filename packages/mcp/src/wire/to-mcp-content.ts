import type { ContentBlock } from "@modelcontextprotocol/server";
import type { ContentPart } from "@toolrig/core";

/** Content as MCP has it. A resource that comes without its text is a link: whoever wants it reads it. */
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
      const { uri, mimeType, text } = part;
      const type = mimeType === undefined ? {} : { mimeType };
      if (text === undefined) return { type: "resource_link", uri, name: nameOf(uri), ...type };
      return { type: "resource", resource: { uri, text, ...type } };
    }
  }
}

/** The last part of a URI that says something. */
function nameOf(uri: string): string {
  return /([^/?#]+)[/]?(?:[?#].*)?$/.exec(uri)?.[1] ?? uri;
}
