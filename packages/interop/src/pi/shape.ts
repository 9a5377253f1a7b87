/** The parts of pi's agent package that are used here. Copied in structure, so that nothing of it need be installed. */

interface PiText {
  type: "text";
  text: string;
}

interface PiImage {
  type: "image";
  /** Base64. */
  data: string;
  mimeType: string;
}

export interface PiToolResult {
  content: (PiText | PiImage)[];
  // pi types the details of a result by its tool.
  // biome-ignore lint/suspicious/noExplicitAny: see above
  details: any;
  // biome-ignore lint/suspicious/noExplicitAny: pi's own type of usage
  usage?: any;
  terminate?: boolean;
}

/** An `AgentTool`. */
export interface PiTool {
  name: string;
  label: string;
  description: string;
  // TypeBox's types carry marks that no other schema has; pi takes plain JSON Schema all the same.
  // biome-ignore lint/suspicious/noExplicitAny: see above
  parameters: any;
  // biome-ignore lint/suspicious/noExplicitAny: typed by the tool's own schema
  prepareArguments?: (args: unknown) => any;
  execute(
    toolCallId: string,
    // biome-ignore lint/suspicious/noExplicitAny: typed by the tool's own schema
    params: any,
    signal?: AbortSignal,
    onUpdate?: (partial: PiToolResult) => void,
  ): Promise<PiToolResult>;
  replay?: "never" | "safe";
  executionMode?: "sequential" | "parallel";
}
