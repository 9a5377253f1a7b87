import type { ContentBlock } from "@modelcontextprotocol/server";
import type { ContentPart, TextPart } from "@toolrig/core";
import { defined } from "@toolrig/core/kit";

/** The URI under which a client knows a resource. */
export type UriOf = (part: Exclude<ContentPart, TextPart>) => string;

const ownUri: UriOf = ({ uri = "" }) => uri;

/** Content as MCP has it. A resource that comes without its text or its bytes is a link, which is read on its own. */
export function toMcpContent(content: readonly ContentPart[], uriOf: UriOf = ownUri): ContentBlock[] {
  return content.map((part) => {
    const { annotations, meta: _meta } = part;
    return { ...bareBlock(part, uriOf), ...defined({ annotations, _meta }) } as ContentBlock;
  });
}

function bareBlock(part: ContentPart, uriOf: UriOf): ContentBlock {
  switch (part.type) {
    case "text":
      return { type: "text", text: part.text };
    case "image":
    case "audio":
      if (part.uri !== undefined) return embedded(part, uriOf, { blob: part.data });
      return { type: part.type, data: part.data, mimeType: part.mimeType };
    case "resource": {
      const { text, data, title, description, size } = part;
      if (data !== undefined) return embedded(part, uriOf, { blob: data });
      // What an artifact keeps is read from there.
      if (text !== undefined && part.artifact === undefined) return embedded(part, uriOf, { text });
      const { uri, name = nameOf(uri), icons } = part;
      const more = defined({ mimeType: part.mimeType, title, description, size, icons });
      return { type: "resource_link", uri: uriOf(part), name, ...more };
    }
  }
}

function embedded(
  part: Exclude<ContentPart, TextPart>,
  uriOf: UriOf,
  what: { text: string } | { blob: string },
) {
  const { mimeType, resourceMeta: _meta } = part;
  const resource = { uri: uriOf(part), ...defined({ mimeType }), ...what, ...defined({ _meta }) };
  return { type: "resource" as const, resource } as ContentBlock;
}

/** The last part of a URI that says something. */
function nameOf(uri: string): string {
  return /([^/?#]+)[/]?(?:[?#].*)?$/.exec(uri)?.[1] ?? uri;
}
