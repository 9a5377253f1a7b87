import { check, declareOptions, type OptionTable, option } from "@toolrig/core/kit";
import type { LanguageModelMiddleware, ToolSet } from "ai";
import { messagesOf } from "./conversation.ts";
import { type Extraction, extractedFrom, TextWithCalls } from "./extraction.ts";
import type { Asked, Content, Finish, StreamPart } from "./language-model.ts";
import { stateOf, type ToolSetState } from "./state.ts";
import { isReadable } from "./written.ts";

export interface RigMiddlewareOptions {
  /**
   * Whether calls that the model writes as text are found and made, when it made none as it should. `family` names the one way of
   * writing them that counts; with `trust` they are the model's own, else those with side effects need approval. Default false.
   */
  extract?: boolean | { family?: string; trust?: boolean };
}

const middlewareOptions = declareOptions("rigMiddleware", {
  extract: option.flagOr(option.object("options of extraction")),
} satisfies OptionTable<RigMiddlewareOptions>);

/**
 * A language-model middleware, for `wrapLanguageModel`, for models that are given these tools: the pipeline gets the model's own
 * argument text, and the AI SDK gets JSON wherever that text could be repaired. Calls of tools that nobody has, and calls that
 * people denied in the AI SDK's own flow, are put on record; of the first the model is told which names are near.
 * Throws `OPTION_INVALID`.
 */
export function rigMiddleware(tools: ToolSet, options: RigMiddlewareOptions = {}): LanguageModelMiddleware {
  middlewareOptions.check(options);
  const state = stateOf(tools);
  const extraction = extractionOf(options.extract ?? false);
  return {
    specificationVersion: "v4",

    transformParams: async ({ params }) => ({
      ...params,
      prompt: state.unknownTools.tellIn(params.prompt),
    }),

    async wrapGenerate({ doGenerate, params }) {
      await state.hearDenials(params.prompt);
      const result = await doGenerate();
      const brought: string[] = [];
      const parts = result.content.map((part) =>
        isLeft(state, part, result.finishReason) ? part : read(state, part, params, brought),
      );
      const content = await Promise.all(parts);
      return { ...result, ...extractedFrom(state, extraction, { ...result, content }) };
    },

    async wrapStream({ doStream, params }) {
      await state.hearDenials(params.prompt);
      const result = await doStream();
      const texts = new TextWithCalls(state, extraction);
      const brought: string[] = [];
      let held: StreamPart[] = [];
      const transform = new TransformStream<StreamPart, StreamPart>({
        async transform(part, controller) {
          // Whether broken arguments were cut off by the limit is said at the end; nothing after them comes before them.
          if (part.type !== "finish" && (held.length > 0 || isBroken(state, part))) {
            held.push(part);
            return;
          }
          const reason = part.type === "finish" ? part.finishReason : undefined;
          for (const each of [...held, part]) {
            const given = isLeft(state, each, reason) ? each : await read(state, each, params, brought);
            for (const ready of texts.take(given)) controller.enqueue(ready);
          }
          held = [];
        },
        async flush(controller) {
          for (const each of held)
            for (const ready of texts.take(await read(state, each, params, brought)))
              controller.enqueue(ready);
        },
      });
      return { ...result, stream: result.stream.pipeThrough(transform) };
    },
  };
}

/**
 * The AI SDK runs no call of a response that the limit cut off, and asks the model again only where it could not read one: such a call
 * stays as it is, so that the model is told.
 */
function isLeft(state: ToolSetState, part: Content | StreamPart, reason: Finish | undefined): boolean {
  return reason?.unified === "length" && isBroken(state, part);
}

function isBroken({ definitions }: ToolSetState, part: Content | StreamPart): boolean {
  return part.type === "tool-call" && definitions.has(part.toolName) && !isReadable(part.input);
}

/**
 * A call that the AI SDK can read, what the model wrote being kept for the pipeline, with what a provider's own tools brought before
 * it. Other parts stay as they are.
 */
async function read<Part extends Content | StreamPart>(
  state: ToolSetState,
  part: Part,
  { tools = [], prompt }: Asked,
  brought: string[],
): Promise<Part> {
  if (part.type === "tool-result") brought.push(`a result of ${part.toolName}`);
  if (part.type !== "tool-call" || part.providerExecuted === true) return part;
  const { toolCallId: id, toolName: name, input: text } = part;
  if (!state.definitions.has(name)) {
    const isOthers = tools.some((each) => each.name === name);
    if (!isOthers) await state.refuse({ id, name, arguments: text }, messagesOf(prompt), prompt);
    return part;
  }
  const { input, providerMetadata } = state.wrote(id, name, { text, read: [...brought] });
  if (providerMetadata === undefined) return { ...part, input };
  return { ...part, input, providerMetadata: { ...part.providerMetadata, ...providerMetadata } };
}

function extractionOf(given: NonNullable<RigMiddlewareOptions["extract"]>): Extraction | undefined {
  if (typeof given === "boolean") return given ? { trust: false } : undefined;
  check.known("extract", given, ["family", "trust"]);
  const { family, trust = false } = given;
  check.flag("extract.trust", trust);
  if (family !== undefined) check.string("extract.family", family);
  return { family, trust };
}
