import { check } from "@toolrig/core/kit";
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
      const response: AgentsResponse = await model.getResponse(request);
      return heard(response, !isCutOff(response.providerData));
    },
    async *getStreamedResponse(request) {
      let complete = true;
      for await (const event of model.getStreamedResponse(request)) {
        if (event.type === "model" && isCutOff(event.event)) complete = false;
        yield event.type === "response_done"
          ? { ...event, response: heard(event.response, complete && !isCutOff(event.response.providerData)) }
          : event;
      }
    },
  };
}

function heard<Response extends AgentsResponse>(response: Response, complete: boolean): Response {
  return { ...response, output: response.output?.map((item) => heardItem(item, complete)) };
}

function heardItem(item: AgentsItem, complete: boolean): AgentsItem {
  if (item.type !== "function_call" || typeof item.arguments !== "string") return item;
  const args = wrapped(item.arguments, complete && item.status !== "incomplete");
  return args === undefined ? item : { ...item, arguments: JSON.stringify(args) };
}

/** What Responses and Chat Completions say of an answer that reached the limit of its length, as an answer or as an event. */
function isCutOff(said: unknown): boolean {
  if (typeof said !== "object" || said === null) return false;
  const { status, type, choices } = said as Record<string, unknown>;
  if (status === "incomplete" || type === "response.incomplete") return true;
  return Array.isArray(choices) && choices.some((choice) => choice?.finish_reason === "length");
}
