import { NoSuchToolError, type ToolCallRepairFunction, type ToolSet } from "ai";
import { ToolCallError } from "../beneath/shown.ts";
import { stateOf } from "./state.ts";
import { isCutOff } from "./written.ts";

/**
 * For `experimental_repairToolCall`, where the model cannot be wrapped: broken argument text is repaired, and the pipeline gets what
 * the model wrote; a tool that nobody has is put on record, and the model is told which ones there are. `rigMiddleware` sees more.
 * Throws `OPTION_INVALID`.
 */
export function repairToolCall(tools: ToolSet): ToolCallRepairFunction<ToolSet> {
  const state = stateOf(tools);
  return async ({ toolCall, error, messages }) => {
    const { toolCallId: id, toolName: name, input } = toolCall;
    if (NoSuchToolError.isInstance(error)) {
      const refused = await state.refuse({ id, name, arguments: input }, messages);
      if (refused !== undefined) throw new ToolCallError(refused);
    }
    const definition = state.definitions.get(name);
    // Of what was cut off the model is told by the AI SDK, which would run nothing of it where the limit did that, and end.
    if (definition === undefined || isCutOff(input, definition.inputSchema)) return null;
    return { ...toolCall, ...state.wrote(id, name, { text: input }) };
  };
}
