/**
 * A chat in the browser with the AI SDK's `useChat`.
 *
 * It streams, and asks before the agent acts.
 *
 *     npm run example chat
 *
 * Open the printed address (page.tsx) and write something. The model is scripted: it wants to refund an order, you are asked in the
 * chat, and your answer decides. A real one is `engine: aiSdkEngine(openai("gpt-5"))`. Ctrl-C ends it. You see:
 *
 *     http://127.0.0.1:…
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { serve } from "@hono/node-server";
import { createUIMessageStreamResponse, isToolUIPart, type UIMessage, validateUIMessages } from "ai";
import { Hono } from "hono";
import { csrf } from "hono/csrf";
import { HTTPException } from "hono/http-exception";
import { type Message, type Run, rig, tool, toUIMessageStream } from "toolrig";
import { z } from "zod";
import { bundlePage } from "./bundle-page.ts";
import { scriptedModel } from "./scripted-model.ts";

const refundOrder = tool({
  name: "refund_order",
  description: "Refund an order",
  input: z.object({ order: z.string(), amount: z.number().positive() }),
  safety: { sideEffects: "external" },
  approval: true,
  execute: ({ order, amount }) => `refunded ${amount} of order ${order}`,
});

const desk = rig({ tools: [refundOrder], engine: scriptedModel, store: ":memory:" });
/** The run and the transcript of each chat. A real desk checks that the chat is the user's. */
const chats = new Map<string, { runId: string; messages: readonly Message[] }>();

const page = await bundlePage(join(import.meta.dirname, "page.tsx"));
const app = new Hono();
// Only pages of this very address may act here: there is no sign-in.
app.use(csrf());
app.use(async ({ req, text }, next) => {
  if (new URL(req.url).hostname !== "127.0.0.1") return text("This is not my name.", 421);
  return next();
});

app.get("/", ({ html }) => html(readFileSync(join(import.meta.dirname, "page.html"), "utf8")));
app.get("/page.js", ({ body }) => body(page, 200, { "content-type": "text/javascript" }));

const chatRequest = z.object({ id: z.string(), messages: z.array(z.unknown()).max(1_000) });

/** A message of the user starts a run. Answers to approvals continue the run that asked. */
app.post("/chat", async ({ req }) => {
  const { id, messages: sent } = chatRequest.parse(await req.json());
  const last = (await validateUIMessages({ messages: sent })).at(-1);
  const chat = chats.get(id);
  if (last?.role === "user") {
    const { messages = [] } = chat ?? {};
    // A run that waits for an approval is suspended: its stream ends, and the answer continues it.
    return respond(id, desk.run(textIn(last), { messages, onWaiting: "suspend" }));
  }
  if (last === undefined || chat === undefined) throw new Error("This chat has not begun.");
  for (const part of last.parts) {
    if (!isToolUIPart(part) || part.state !== "approval-responded") continue;
    const { id: executionId, approved } = part.approval;
    // The page may send any id: a chat answers the questions of its own run alone.
    const question = await desk.approvals.store.get(executionId);
    if (question?.pending.runId !== chat.runId) throw new Error("This chat did not ask that.");
    const by = { id: "local" }; // the signed-in user, where there is a sign-in
    if (approved) await desk.approvals.approve(executionId, { by });
    else await desk.approvals.deny(executionId, { by });
  }
  return respond(id, desk.resume(chat.runId));
});

function respond(id: string, run: Run): Response {
  chats.set(id, { runId: run.runId, messages: run.messages });
  return createUIMessageStreamResponse({ stream: toUIMessageStream(run) });
}

function textIn({ parts }: UIMessage): string {
  return parts.map((part) => (part.type === "text" ? part.text : "")).join("");
}

app.onError((error, { text }) =>
  error instanceof HTTPException ? error.getResponse() : text(error.message, 400),
);

const port = Number(process.env.PORT ?? 0);
serve({ fetch: app.fetch, hostname: "127.0.0.1", port }, (address) =>
  console.log(`http://127.0.0.1:${address.port}`),
);
