import type { Principal } from "@toolrig/core";
import { declareOptions, type OptionTable, option } from "@toolrig/core/kit";
import type { ModelMessage } from "ai";
import { type GivenRun, peerApproval, runOption } from "../beneath/run-identity.ts";

/** What is known of a call when its run has to be said. */
export interface AiSdkCall {
  toolCallId: string;
  messages: readonly ModelMessage[];
  /** The tool's context, as the AI SDK gives it. */
  context?: unknown;
}

export interface AiSdkOptions {
  /**
   * The run that calls are part of, or how it is known from a call. Without a `runId` it is one for each `generateText`, `streamText`
   * or use of an agent, and those of them that ask for approval are found again by what users wrote. Of a call that the AI SDK does
   * not make, because it was denied or nobody has the tool, a function gets the messages as the model was sent them, and no context.
   */
  run?: GivenRun | ((call: AiSdkCall) => GivenRun);
  /**
   * Where calls that need approval are answered: by the AI SDK's own flow, whose answers are written into the rig's inbox, or in
   * the inbox, while the call is held. Default "peer" for a rig that has an inbox.
   */
  approval?: "peer" | "inbox";
  /** Who answers in the AI SDK's own flow, for the record. Default `{ id: "ai-sdk" }`. */
  approver?: Principal;
  /**
   * Whether what tools tell while they run is streamed as preliminary results, which makes their result one more of these. Default: for
   * tools whose `execute` is a generator, and for tools that run elsewhere.
   */
  progress?: boolean;
}

export const aiSdkOptions = declareOptions("toAiSdkTools", {
  run: runOption(),
  ...peerApproval,
  progress: option.flag(),
} satisfies OptionTable<AiSdkOptions>);
