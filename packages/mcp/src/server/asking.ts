import type {
  ClientCapabilities,
  CreateMessageRequestParams,
  ElicitResult,
  InputRequest,
  InputRequests,
  InputResponse,
} from "@modelcontextprotocol/server";
import {
  type JsonSchema,
  type PendingApproval,
  type Principal,
  Redactor,
  type ToolResult,
} from "@toolrig/core";
import { canonicalJson, type Wait } from "@toolrig/core/kit";
import { addressOf, clientRequestOf } from "../wire/client-question.ts";
import { type Form, type RequestedSchema, toMcpForm } from "../wire/to-mcp-form.ts";
import type { ServedParts } from "./served-rig.ts";

/** Something that a call waits for and a client may answer. */
export interface Asked {
  /** Of the wait. */
  readonly id: string;
  /** What the client knows it by. */
  readonly key: string;
  readonly request: InputRequest;
  /** What a client must be able to do to answer it. */
  readonly needs: "elicitation" | "elicitation.url" | "sampling" | "sampling.tools" | "roots";
  /** Answers only what this very request asked, by what was sealed with it. */
  readonly sealed: boolean;
  /** Takes the client's answer. What does not fit leaves the question as it is. */
  answer(response: InputResponse): Promise<void>;
}

/** Who answers: the person at the client, and on whose behalf the call is made. */
export interface Answerers {
  readonly approver: Principal | undefined;
  readonly principal: Principal;
}

/** What an execution waits for that somebody can answer here, in the form that the client can show. Empty when it is nothing of that kind. */
export async function askedBy(
  { waits, approvals }: ServedParts,
  executionId: string,
  answerers: Answerers,
  capabilities: ClientCapabilities | undefined,
): Promise<readonly Asked[]> {
  const open = (await waits?.list({ executionId, open: true })) ?? [];
  const keys = new Set<string>();
  const asked = open.flatMap((wait) => {
    if (wait.kind !== "question" || waits === undefined) return [];
    return questionAsked(wait, keyFor(wait, keys), answerers, waits, capabilities);
  });
  if (answerers.approver === undefined || approvals === undefined) return asked;
  const entry = await approvals.store.get(executionId);
  if (entry === undefined || entry.decision !== undefined) return asked;
  return [...approvalAsked(entry.pending, answerers.approver, approvals), ...asked];
}

/** What is asked is known by the title of its schema where it has one, which is the tool's to give. */
function keyFor(wait: Wait, taken: Set<string>): string {
  const { title } = schemaOf(wait) as { title?: unknown };
  const wanted = typeof title === "string" ? title.replace(/\W+/g, "_").slice(0, 60) : "";
  const base = wanted === "" ? "question" : wanted;
  let key = base;
  for (let count = 2; taken.has(key); count++) key = `${base}_${count}`;
  taken.add(key);
  return key;
}

interface QuestionBody {
  message: string;
  schema: JsonSchema;
}

function schemaOf({ body }: Wait): JsonSchema {
  return (body as QuestionBody).schema;
}

function questionAsked(
  wait: Wait,
  key: string,
  { approver, principal }: Answerers,
  waits: NonNullable<ServedParts["waits"]>,
  capabilities: ClientCapabilities | undefined,
): Asked {
  const { id } = wait;
  const { message, schema } = wait.body as QuestionBody;
  const request = clientRequestOf(schema);
  if (request !== undefined)
    return {
      id,
      key,
      request,
      needs: request.method === "roots/list" ? "roots" : samplingNeeds(request.params),
      sealed: false,
      answer: (value) => waits.answer(id, { by: principal, value }),
    };
  const by = approver ?? principal;
  const url = canAnswer(capabilities, "elicitation.url") ? addressOf(schema) : undefined;
  const { requestedSchema, answerOf } = url === undefined ? toMcpForm(schema) : OPENED;
  return {
    id,
    key,
    request: url === undefined ? elicitation(message, requestedSchema) : opening(message, url, id),
    needs: url === undefined ? "elicitation" : "elicitation.url",
    sealed: false,
    async answer(response) {
      const { action, content } = elicited(response);
      if (action === "accept") await waits.answer(id, { by, value: answerOf(content) });
      else await waits.answer(id, { by, [ENDED_BY[action]]: true, reason: `the person chose to ${action}` });
    },
  };
}

/** Whose address was opened has nothing to fill in. */
const OPENED: Form = {
  requestedSchema: { type: "object", properties: {} },
  answerOf: () => ({ done: true }),
};

const ENDED_BY = { decline: "declined", cancel: "cancelled" } as const;

/** A model that is to use tools needs a client that says so. */
function samplingNeeds({ tools, toolChoice }: CreateMessageRequestParams): "sampling" | "sampling.tools" {
  return tools === undefined && toolChoice === undefined ? "sampling" : "sampling.tools";
}

const redactor = new Redactor();
const MAX_SHOWN = 8_000;

/** Who decides sees the whole call, in plain characters. One that is too long for that is for a place where it can be seen. */
function approvalAsked(
  pending: PendingApproval,
  by: Principal,
  approvals: NonNullable<ServedParts["approvals"]>,
): readonly Asked[] {
  const { executionId, name, args, reasons, fingerprint } = pending;
  const requestedSchema: RequestedSchema = {
    type: "object",
    properties: {
      approve: { type: "boolean", title: "Let it run", default: false },
      reason: { type: "string", title: "Why not", description: "Told to the model when it may not run" },
    },
    required: ["approve"],
  };
  const shown = visible(canonicalJson(redactor.value(args)));
  if (shown.length > MAX_SHOWN) return [];
  const message = `May ${name} run with ${shown}? It is asked because ${visible(reasons.join("; "))}.`;
  const answer = async (response: InputResponse) => {
    const { action, content } = elicited(response);
    // A form that was dismissed says nothing of the call: it waits on.
    if (action === "cancel") throw new Error("The person did not decide.");
    if (action === "accept" && content.approve === true) {
      await approvals.approve(executionId, { by, fingerprint });
      return;
    }
    const given = typeof content.reason === "string" ? content.reason.trim() : "";
    const chose = action === "accept" ? "the person did not let it run" : "the person chose to decline";
    await approvals.deny(executionId, { by, reason: given === "" ? chose : given });
  };
  const request = elicitation(message, requestedSchema);
  return [{ id: executionId, key: "approval", request, needs: "elicitation", sealed: true, answer }];
}

/** Characters that hide or reorder what follows them are shown by their numbers. */
function visible(text: string): string {
  return text.replace(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
    (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`,
  );
}

function elicitation(message: string, requestedSchema: RequestedSchema): InputRequest {
  return { method: "elicitation/create", params: { mode: "form", message, requestedSchema } } as InputRequest;
}

function opening(message: string, url: string, elicitationId: string): InputRequest {
  const params = { mode: "url", message, url, elicitationId };
  return { method: "elicitation/create", params } as InputRequest;
}

interface Elicited {
  readonly action: ElicitResult["action"];
  readonly content: Readonly<Record<string, unknown>>;
}

function elicited(response: InputResponse): Elicited {
  const { action, content } = response as ElicitResult;
  if (action !== "accept" && action !== "decline" && action !== "cancel")
    throw new Error('The answer must be { action: "accept" | "decline" | "cancel" }.');
  return { action, content: content ?? {} };
}

/** Those that a client can answer, by their keys. */
export function requestsOf(asked: readonly Asked[]): InputRequests {
  return Object.fromEntries(asked.map(({ key, request }) => [key, request]));
}

/** Whether a client has said that it can answer such a thing. A bare `elicitation` means forms. */
export function canAnswer(capabilities: ClientCapabilities | undefined, needs: Asked["needs"]): boolean {
  if (needs === "elicitation.url") return capabilities?.elicitation?.url !== undefined;
  if (needs === "sampling.tools") return capabilities?.sampling?.tools !== undefined;
  if (needs !== "elicitation") return capabilities?.[needs] !== undefined;
  const { elicitation } = capabilities ?? {};
  return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined);
}

/** Whether a client can answer anything at all. */
export function canBeAsked(capabilities: ClientCapabilities | undefined): boolean {
  return (
    canAnswer(capabilities, "elicitation") ||
    canAnswer(capabilities, "elicitation.url") ||
    canAnswer(capabilities, "sampling") ||
    canAnswer(capabilities, "roots")
  );
}

/** Whether somebody could answer what the call waits for, rather than bring its result. */
export function asks({ waiting }: ToolResult): boolean {
  return waiting?.kind === "question" || waiting?.kind === "approval";
}
