import {
  type InputRequest,
  type InputRequests,
  type InputRequiredResult,
  type InputResponses,
  isInputRequiredResult,
  ProtocolError,
  ProtocolErrorCode,
  type RequestOptions,
  type Result,
  type Server,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { messageOf } from "@toolrig/core/kit";

/** Rounds of questions that one request may put to its client. */
const MAX_ROUNDS = 100;

/**
 * Asks a client before 2026-07-28 for what a call needs, by requests of the server while the client's own request is open, and
 * goes on with the answers until there is a result. All questions of a round are asked at once; the first that fails cancels the others.
 * A question that fails is a failed result of `tools/call`, and a `ProtocolError` of other methods. Throws when `signal` aborts.
 */
export async function askClient(
  server: Server,
  method: string,
  { id }: Pick<ServerContext["mcpReq"], "id">,
  signal: AbortSignal,
  timeout: number,
  first: InputRequiredResult,
  sendAnswers: (responses: InputResponses, requestState: unknown) => Promise<Result | InputRequiredResult>,
): Promise<Result> {
  let result: Result | InputRequiredResult = first;
  for (let round = 0; isInputRequiredResult(result); round++) {
    if (round >= MAX_ROUNDS) return failed(method, `it asked its client ${MAX_ROUNDS} times`);
    const { inputRequests = {}, requestState } = result;
    const over = new AbortController();
    const options: RequestOptions & { relatedRequestId: typeof id } = {
      relatedRequestId: id,
      timeout,
      resetTimeoutOnProgress: true,
      onprogress: () => {},
      signal: AbortSignal.any([signal, over.signal]),
    };
    let responses: InputResponses;
    try {
      responses = await answersTo(server, inputRequests, options);
    } catch (error) {
      over.abort(error);
      if (signal.aborted) throw error;
      return failed(method, messageOf(error));
    }
    result = await sendAnswers(responses, requestState);
  }
  return result;
}

async function answersTo(
  server: Server,
  requests: InputRequests,
  options: RequestOptions,
): Promise<InputResponses> {
  const asked = Object.entries(requests).map(async ([key, request]) => [
    key,
    await ask(server, request, options),
  ]);
  return Object.fromEntries(await Promise.all(asked)) as InputResponses;
}

/** What the answer to a form must be is checked by the question that it answers. */
function ask(server: Server, request: InputRequest, options: RequestOptions): Promise<unknown> {
  switch (request.method) {
    case "elicitation/create":
      return server.request({ method: request.method, params: request.params }, options);
    case "sampling/createMessage":
      return server.createMessage(request.params, options);
    case "roots/list":
      return server.listRoots(request.params, options);
  }
}

function failed(method: string, why: string): Result {
  const message = `Asking the client for what ${method} needs has failed: ${why}.`;
  if (method !== "tools/call") throw new ProtocolError(ProtocolErrorCode.InternalError, message);
  return { content: [{ type: "text", text: message }], isError: true };
}
