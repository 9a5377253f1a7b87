/**
 * A chat in the browser that streams, and asks before it acts.
 *
 *     npm run example chat
 *
 * Open the printed address (page.html) and write something. The model is scripted: it wants to refund an order, you are asked, and
 * what you answer is what happens. A real one is `engine: aiSdkEngine(openai("gpt-5"))`. Ctrl-C ends it. You see:
 *
 *     http://127.0.0.1:…
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { serve } from "@hono/node-server";
import { Hono } from "hono";
import { csrf } from "hono/csrf";
import { HTTPException } from "hono/http-exception";
import { streamSSE } from "hono/streaming";
import { type Message, rig, tool } from "toolrig";
import { z } from "zod";
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
const conversations = new Map<string, readonly Message[]>();

const app = new Hono();
// Only pages of this very address may act here: whoever is at the browser is taken at their word.
app.use(csrf());
app.use(async ({ req, text }, next) => {
  if (new URL(req.url).hostname !== "127.0.0.1") return text("This is not my name.", 421);
  return next();
});

app.get("/", ({ html }) => html(readFileSync(join(import.meta.dirname, "page.html"), "utf8")));

/** Answers a message with events: text as it comes, what is asked, and what calls came to. */
app.post("/chats/:chat", async (context) => {
  const { text } = z.object({ text: z.string().max(10_000) }).parse(await context.req.json());
  const chat = context.req.param("chat");
  return streamSSE(context, async (stream) => {
    const run = desk.run(text, { messages: conversations.get(chat) ?? [] });
    stream.onAbort(() => run.abort("the page was closed"));
    const send = (event: string, data: unknown) => stream.writeSSE({ event, data: JSON.stringify(data) });
    for await (const event of run) {
      if (event.type === "text") await send("text", event.text);
      if (event.type === "call.waiting") {
        const { name, args, reasons } = (await desk.approvals.store.get(event.executionId))?.pending ?? {};
        await send("ask", { id: event.executionId, name, args, reasons });
      }
      if (event.type === "call.end") await send("call", { name: event.name, ok: !event.result.isError });
    }
    conversations.set(chat, (await run.outcome).messages);
  });
});

app.post("/approvals/:id", async ({ req, body }) => {
  const { approve } = z.object({ approve: z.boolean() }).parse(await req.json());
  const by = { id: "local" }; // who is signed in, where people are
  if (approve) await desk.approvals.approve(req.param("id"), { by });
  else await desk.approvals.deny(req.param("id"), { by });
  return body(null, 204);
});

app.onError((error, { text }) =>
  error instanceof HTTPException ? error.getResponse() : text(error.message, 400),
);

const port = Number(process.env.PORT ?? 0);
serve({ fetch: app.fetch, hostname: "127.0.0.1", port }, (address) =>
  console.log(`http://127.0.0.1:${address.port}`),
);
