import { type AnyTool, failure, result, tool } from "@toolrig/core";
import { check, speltOut } from "@toolrig/core/kit";
import { plainJson } from "../files/output.ts";
import { textOfBody } from "./body.ts";
import { perform } from "./fetch-url.ts";
import { type Network, systemNetwork } from "./network.ts";
import { checkHttpOptions, type HttpOptions } from "./options.ts";

export interface WebSearchOptions extends HttpOptions {
  /** Where a SearXNG instance with JSON output is, such as "http://127.0.0.1:8888". Without one the tool is unavailable. */
  endpoint?: string;
}

export interface SearchHit {
  title: string;
  url: string;
  snippet: string;
}

const MAX_RESULTS = 20;
const LABELS = { integrity: "untrusted", source: "web" } as const;

/** `web_search`: asks a SearXNG instance of the owner's. */
export function webSearch(options: WebSearchOptions = {}): AnyTool {
  return webSearchOver(systemNetwork, options);
}

export function webSearchOver(network: Network, options: WebSearchOptions): AnyTool {
  const { endpoint, ...rest } = options;
  const base = endpoint === undefined ? undefined : endpointOf(endpoint);
  // Whoever configures it allows it.
  const allow = [...(rest.allow ?? []), ...(base === undefined ? [] : [base.host])];
  const settings = checkHttpOptions("webSearch", { ...rest, allow });
  return tool({
    name: "web_search",
    description:
      "Search the web. Answers with titles, URLs and snippets, which others wrote; read what looks right with fetch_url.",
    input: {
      type: "object",
      properties: {
        query: { type: "string", minLength: 1, maxLength: 1_000, description: "Words to search for" },
        max_results: { type: "integer", minimum: 1, maximum: MAX_RESULTS, description: "Default 10" },
        output: { type: "string", enum: ["labeled", "json"], description: "Default labeled" },
      },
      required: ["query"],
      additionalProperties: false,
    },
    safety: { sideEffects: "read", idempotent: true, requires: ["network"] },
    timeout: settings.timeoutMs + 5_000,
    labels: { ...LABELS, sinks: ["query"] },
    available: () => (base === undefined ? "no search endpoint configured" : true),
    async execute({ query, max_results = 10, output = "labeled" }, context) {
      const url = new URL(base ?? "");
      url.searchParams.set("q", query);
      url.searchParams.set("format", "json");
      const request = { url: url.href, method: "GET", headers: { accept: "application/json" } };
      const { status, body, contentType } = await perform(request, settings, network, context, "same-origin");
      if (status !== 200) return failure(`The search engine answered with HTTP ${status}.`);
      const hits = hitsOf(textOfBody(body.bytes, contentType)).slice(0, max_results);
      const text = hits
        .map((hit, index) => `${index + 1}. ${hit.title}\n   ${hit.url}\n   ${hit.snippet}`)
        .join("\n");
      const content =
        output === "json" ? plainJson(hits) : speltOut(text, "steering") || "Nothing was found.";
      return result({ content, value: hits, labels: LABELS });
    },
  });
}

function endpointOf(endpoint: string): URL {
  const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.username !== "")
    throw check.invalid("endpoint", 'a URL such as "http://127.0.0.1:8888"', endpoint);
  if (!url.pathname.endsWith("/search")) url.pathname = `${url.pathname.replace(/\/$/, "")}/search`;
  return url;
}

/** What cannot be read as a result is left out. */
function hitsOf(text: string): SearchHit[] {
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch {
    throw failure("The search engine did not answer with JSON; its JSON format may be turned off.");
  }
  const { results } = (answer ?? {}) as { results?: unknown };
  if (!Array.isArray(results)) throw failure("The search engine answered without a list of results.");
  return results.flatMap((each: unknown) => {
    const { title, url, content } = (each ?? {}) as Record<string, unknown>;
    const target = typeof url === "string" ? URL.parse(url) : null;
    if (target === null || !/^https?:$/.test(target.protocol)) return [];
    // As it is read, and so on one line.
    const { href } = target;
    return [{ title: shortLine(title) || href, url: href, snippet: shortLine(content) }];
  });
}

function shortLine(value: unknown): string {
  return typeof value === "string"
    ? value
        .replaceAll(/[\s\u0085]+/g, " ")
        .trim()
        .slice(0, 500)
    : "";
}
