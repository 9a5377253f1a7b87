import type { Mark } from "./mark.ts";

/** Reasoning blocks. Nothing in them is a call, closed or not. */
export const reasoningBlocks: readonly (readonly [open: string, close: string])[] = [
  ["<think>", "</think>"],
  ["<thinking>", "</thinking>"],
  ["<thought>", "</thought>"],
  ["<reasoning>", "</reasoning>"],
  ["<scratchpad>", "</scratchpad>"],
  ["<seed:think>", "</seed:think>"],
  ["<mm:think>", "</mm:think>"],
  ["[THINK]", "[/THINK]"],
  ["<|START_THINKING|>", "<|END_THINKING|>"],
  ["<|channel>thought", "<channel|>"],
  ["<|open|>think<|sep|>", "<|close|>think<|sep|>"],
  ["<|content_thinking|>", "<|end_message|>"],
  ["◁think▷", "◁/think▷"],
];

/** Tags that close reasoning which the prompt had opened. */
export const reasoningEnds: readonly string[] = reasoningBlocks
  .map(([, close]) => close)
  .filter((close) => close !== "<channel|>" && close !== "<|end_message|>");

/** Blocks that hold what tools returned or what tools exist. Left open, they last to the end of the text. */
const LASTING: readonly (readonly [open: string, close: string])[] = [
  ["<tool_response>", "</tool_response>"],
  ["<tool_responses>", "</tool_responses>"],
  ["<tool_result>", "</tool_result>"],
  ["<tool_results>", "</tool_results>"],
  ["<tool_output>", "</tool_output>"],
  ["<tool_outputs>", "</tool_outputs>"],
  ["<function_result>", "</function_result>"],
  ["<function_results>", "</function_results>"],
  ["<function_response>", "</function_response>"],
  ["<observation>", "</observation>"],
  ["<observations>", "</observations>"],
  ["<available_tools>", "</available_tools>"],
  ["[TOOL_RESULTS]", "[/TOOL_RESULTS]"],
  ["[TOOL_RESULT]", "[END_TOOL_RESULT]"],
  ["[AVAILABLE_TOOLS]", "[/AVAILABLE_TOOLS]"],
  ["<|START_TOOL_RESULT|>", "<|END_TOOL_RESULT|>"],
  ["<|tool_response>", "<tool_response|>"],
  ["<start_function_response>", "<end_function_response>"],
  ["<｜tool▁outputs▁begin｜>", "<｜tool▁outputs▁end｜>"],
  ["<｜tool▁output▁begin｜>", "<｜tool▁output▁end｜>"],
  ["<|tool▁outputs▁begin|>", "<|tool▁outputs▁end|>"],
  ["<|tool_outputs_begin|>", "<|tool_outputs_end|>"],
];

/** Tokens after which the model's turn is over. What follows was not said by it, or not in this turn. */
const TURN_ENDS = [
  "<|im_end|>",
  "<|im_start|>user",
  "<|im_start|>tool",
  "<|im_start|>system",
  "<|eot_id|>",
  "<|eom_id|>",
  "<|end_of_text|>",
  "<|endoftext|>",
  "<|end_of_turn|>",
  "<|END_OF_TURN_TOKEN|>",
  "<｜end▁of▁sentence｜>",
  "<|end▁of▁sentence|>",
  "<｜User｜>",
  "<end_of_turn>",
  "<start_of_turn>user",
  "<turn|>",
  "<|user|>",
  "<|observation|>",
  "<|start_header_id|>user",
  "<|start_header_id|>ipython",
  "<|start_header_id|>tool",
  "<|message_user|>",
  "<|message_tool|>",
  "<|return|>",
  "</s>",
  "<eos>",
  "[INST]",
  "[/INST]",
];

/** Everything that keeps calls from being found, by the literal that begins it. */
export const regionMarks: readonly (readonly [literal: string, mark: Mark])[] = [
  ...reasoningBlocks.map(([open, close]) => [open, { kind: "reasoning", close }] as const),
  ...reasoningEnds.map((literal) => [literal, { kind: "reasoning-end" }] as const),
  ...LASTING.map(([open, close]) => [open, { kind: "opaque", close, lasting: true }] as const),
  ["<!--", { kind: "opaque", close: "-->", lasting: false }],
  ...['"""', "'''"].map((quotes) => [quotes, { kind: "opaque", close: quotes, lasting: false }] as const),
  ["<![CDATA[", { kind: "opaque", close: "]]>", lasting: false }],
  ...TURN_ENDS.map((literal) => [literal, { kind: "turn-end", line: false }] as const),
  ...["Observation:", "Human:", "User:"].map((label) => [label, { kind: "turn-end", line: true }] as const),
  ["<", { kind: "element" }],
  ["`", { kind: "code" }],
  ["~", { kind: "code" }],
  [">", { kind: "quote" }],
  ["|", { kind: "quote" }],
];
