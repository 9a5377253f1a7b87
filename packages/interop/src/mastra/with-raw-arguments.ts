import { check } from "@toolrig/core/kit";
import { isWholeEnd } from "../beneath/finish-reason.ts";
import { overlay } from "../beneath/overlay.ts";
import { wrapped } from "../beneath/raw-arguments.ts";

/** A language model of the AI SDK's specification, of any version since 2: what Mastra's agents call. */
interface LanguageModel {
  // biome-ignore lint/suspicious/noExplicitAny: the versions type their options differently
  doGenerate(options: any): PromiseLike<any>;
  // biome-ignore lint/suspicious/noExplicitAny: see above
  doStream(options: any): PromiseLike<any>;
}

/** A part of a response, as far as it is read. */
interface Part {
  type: string;
  id?: string;
  delta?: string;
  toolCallId?: string;
  input?: unknown;
  providerExecuted?: boolean;
  finishReason?: unknown;
}

/**
 * A language model that keeps its own argument text. Mastra repairs text in its own way, in which an apostrophe is a quote, and
 * runs what was cut off; a tool of a rig then gets the text, and repairs it or says what is wrong with it.
 */
export function withRawArguments<Model extends LanguageModel>(model: Model): Model {
  check.object("model", model, "a language model of the AI SDK's specification");
  check.has("model", model, ["doGenerate", "doStream"], "a language model of the AI SDK's specification");
  const hearing: LanguageModel = {
    async doGenerate(options) {
      const response = await model.doGenerate(options);
      // Mastra's own models answer with a stream here, too.
      if (response.content === undefined) return streamed(response);
      const complete = isWhole(response.finishReason);
      return { ...response, content: response.content.map((part: Part) => heard(part, complete)) };
    },
    async doStream(options) {
      return streamed(await model.doStream(options));
    },
  };
  return overlay<LanguageModel>(model, hearing) as Model;
}

function streamed<Response extends { stream?: ReadableStream<Part> }>(response: Response): Response {
  return { ...response, stream: response.stream?.pipeThrough(new TransformStream(callsAtTheEnd())) };
}

/**
 * How a response ended is said after its calls, so they are held back until then. One that does not end was cut off. What was
 * streamed of a call is the model's own text. Mastra makes a call of that, too, with no arguments where it does not parse: of a call
 * whose text is wrapped it is not told that its text has ended.
 */
function callsAtTheEnd(): Transformer<Part, Part> {
  const calls: Part[] = [];
  const ends = new Map<string, Part>();
  const texts = new Map<string, string>();
  const release = (controller: TransformStreamDefaultController<Part>, complete: boolean) => {
    for (const call of calls.splice(0)) {
      const { toolCallId = "" } = call;
      const said = heard(call, complete);
      const end = ends.get(toolCallId);
      if (said === call && end !== undefined) controller.enqueue(end);
      controller.enqueue(said);
    }
  };
  return {
    transform(part, controller) {
      const { type, id = "", delta = "", toolCallId = "" } = part;
      if (type === "tool-input-delta") texts.set(id, (texts.get(id) ?? "") + delta);
      if (type === "finish") release(controller, isWhole(part.finishReason));
      if (type === "tool-input-end") ends.set(id, part);
      else if (type === "tool-call") calls.push({ ...part, input: texts.get(toolCallId) ?? part.input });
      else controller.enqueue(part);
    },
    flush: (controller) => release(controller, false),
  };
}

function heard(part: Part, complete: boolean): Part {
  if (part.type !== "tool-call" || part.providerExecuted === true || typeof part.input !== "string")
    return part;
  const args = wrapped(part.input, complete);
  return args === undefined ? part : { ...part, input: JSON.stringify(args) };
}

/** In version 2 a word; since then also what the provider itself said. */
function isWhole(reason: unknown): boolean {
  const { unified } = (typeof reason === "object" && reason !== null ? reason : {}) as { unified?: unknown };
  return isWholeEnd(unified ?? reason);
}
