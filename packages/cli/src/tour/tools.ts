import { setTimeout as pause } from "node:timers/promises";
import { tool, transient } from "@toolrig/core";

/** The tools of the tour. Each is what it says: nothing here knows which event will come of it. */

const PAGES = [
  { title: "Deadlines", text: "A tool that ignores its abort signal does not hold the run." },
  { title: "Retries", text: "Only transient failures of idempotent tools are retried." },
  { title: "Guards", text: "Hooks, policy, budgets and approval are one chain of guards." },
  { title: "Results", text: "Every call gets exactly one result." },
];

export const searchDocs = tool({
  name: "search_docs",
  description: "Search the documentation",
  input: {
    type: "object",
    properties: { query: { type: "string" }, limit: { type: "integer", minimum: 1 } },
    required: ["query"],
    additionalProperties: false,
  },
  safety: { sideEffects: "read", idempotent: true },
  execute({ query, limit = 3 }) {
    const words = query.toLowerCase().split(/\W+/);
    const found = PAGES.filter(({ title, text }) =>
      words.some((word) => `${title} ${text}`.toLowerCase().includes(word)),
    );
    return found.slice(0, limit).map((page) => page.title);
  },
});

/** A service that is overloaded for the first two requests. */
let requests = 0;

export const fetchWeather = tool({
  name: "fetch_weather",
  description: "Fetch the weather of a city",
  input: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  safety: { sideEffects: "read", idempotent: true, requires: ["network"] },
  retry: { attempts: 4, backoff: "120ms" },
  async execute({ city }) {
    requests += 1;
    await pause(30);
    if (requests <= 2) throw transient("the weather service answered 503");
    return `18 degrees and sunny in ${city}`;
  },
});

export const deleteBranch = tool({
  name: "delete_branch",
  description: "Delete a branch of the repository",
  input: { type: "object", properties: { branch: { type: "string" } }, required: ["branch"] },
  safety: { sideEffects: "write", idempotent: true },
  execute: ({ branch }) => `deleted ${branch}`,
});

export const sendInvoice = tool({
  name: "send_invoice",
  description: "Send an invoice",
  input: { type: "object", properties: { to: { type: "string" } }, required: ["to"] },
  safety: { sideEffects: "external" },
  timeout: "250ms",
  async execute({ to }) {
    await pause(600);
    return `sent to ${to}`;
  },
});

export const readPage = tool({
  name: "read_page",
  description: "Read a page of the documentation",
  input: {
    type: "object",
    properties: { title: { type: "string" }, delay: { type: "integer" } },
    required: ["title"],
  },
  safety: { sideEffects: "read", idempotent: true },
  async execute({ title, delay = 0 }, context) {
    await pause(delay, undefined, { signal: context.signal });
    return PAGES.find((page) => page.title === title)?.text ?? `There is no page "${title}".`;
  },
});

export const countWords = tool({
  name: "count_words",
  description: "Count the words of a page",
  input: { type: "object", properties: { title: { type: "string" } }, required: ["title"] },
  safety: { sideEffects: "read", idempotent: true },
  execute({ title }) {
    const page = PAGES.find((each) => each.title === title);
    return page!.text.split(" ").length;
  },
});

export const summarize = tool({
  name: "summarize",
  description: "Summarize a page",
  input: { type: "object", properties: { title: { type: "string" } }, required: ["title"] },
  safety: { sideEffects: "read", idempotent: true },
  async execute({ title }, context) {
    const words = await context.call("count_words", { title });
    return words.isError
      ? `No summary of "${title}": its words could not be counted.`
      : `${title}, in few words`;
  },
});
