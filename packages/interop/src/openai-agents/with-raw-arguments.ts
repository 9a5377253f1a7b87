import { check } from "@toolrig/core/kit";
import { isWholeEnd } from "../beneath/finish-reason.ts";
import { overlay } from "../beneath/overlay.ts";
import { wrapped } from "../beneath/raw-arguments.ts";
import type { AgentsModel, AgentsModelProvider } from "./shape.ts";

/** A response of a model, as far as it is read. */
interface AgentsResponse {
  output?: readonly AgentsItem[];
  providerData?: unknown;
}

interface AgentsItem {
  type: string;
  arguments?: string;
  status?: string;
}

/**
 * A model, or a provider of models, that keeps the model's own argument text. The SDK answers text that is no JSON by itself, and
 * runs what was cut off as if it were whole; a tool of a rig then gets the text, and repairs it or says what is wrong with it.
 */
export function withRawArguments<Model extends AgentsModel | AgentsModelProvider>(model: Model): Model {
  check.object("model", model, "a model or a model provider of the OpenAI Agents SDK");
  const own: Partial<AgentsModel & AgentsModelProvider> =
    "getModel" in model ? providing(model) : hearing(model);
  return overlay<object>(model, own) as Model;
}

function providing(provider: AgentsModelProvider): AgentsModelProvider {
  return {
    async getModel(name) {
      return withRawArguments((await provider.getModel(name)) as AgentsModel);
    },
  };
}

function hearing(model: AgentsModel): AgentsModel {
  return {
    async getResponse(request) {
      return heard(await model.getResponse(request), undefined);
    },
    async *getStreamedResponse(request) {
      let end: End;
      for await (const event of model.getStreamedResponse(request)) {
        if (event.type === "model") end = laterEnd(end, endIn(event.event));
        yield event.type === "response_done" ? { ...event, response: heard(event.response, end) } : event;
      }
    },
  };
}

function heard<Response extends AgentsResponse>(response: Response, streamed: End): Response {
  const ends = [streamed, endIn(response.providerData)];
  return { ...response, output: response.output?.map((item) => heardItem(item, ends)) };
}

/** Nobody may say that it was cut off, and somebody has to say that it was not. */
function heardItem(item: AgentsItem, ends: readonly End[]): AgentsItem {
  if (item.type !== "function_call" || typeof item.arguments !== "string") return item;
  const said = [...ends, item.status].filter((end) => end !== undefined);
  const isWhole = said.length > 0 && said.every(isWholeEnd);
  // No text is no arguments, which the SDK does not know.
  if (isWhole && item.arguments.trim() === "") return { ...item, arguments: "{}" };
  const args = wrapped(item.arguments, isWhole);
  return args === undefined ? item : { ...item, arguments: JSON.stringify(args) };
}

/** Why a response ended. Null: it has not, as far as this says. Undefined: this says nothing of it. */
type End = string | null | undefined;

function laterEnd(before: End, now: End): End {
  return now === undefined ? before : (now ?? before ?? null);
}

/** What Responses, Chat Completions and the AI SDK's models say of it, as a response or as an event of its stream. */
function endIn(said: unknown): End {
  if (typeof said !== "object" || said === null) return undefined;
  const { status, type, choices, finishReason } = said as Record<string, unknown>;
  if (type === "response.incomplete") return "incomplete";
  if (Array.isArray(choices) && choices.length > 0) return choices[0]?.finish_reason ?? null;
  const { unified = finishReason } = (finishReason ?? {}) as { unified?: unknown };
  return [status, unified].find((word) => typeof word === "string");
}
