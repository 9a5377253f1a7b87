/** The pages in the order in which a newcomer reads them: address on the site, and title. */
export const CHAPTERS: readonly { title: string; pages: readonly (readonly [string, string])[] }[] = [
  {
    title: "Start",
    pages: [
      ["overview", "What it is"],
      ["cli", "The command line"],
      ["console", "The console"],
      ["server", "The server"],
      ["http-api", "The HTTP API"],
      ["observability", "Traces and metrics"],
    ],
  },
  {
    title: "Beneath your loop",
    pages: [
      ["beneath/", "What comes through"],
      ["beneath/ai-sdk", "AI SDK"],
      ["beneath/openai-agents", "OpenAI Agents"],
      ["beneath/langchain", "LangChain and LangGraph"],
      ["beneath/mastra", "Mastra"],
      ["beneath/pi", "pi"],
      ["beneath/by-hand", "Loops written by hand"],
      ["vendor-schemas", "Vendors' schemas"],
    ],
  },
  {
    title: "Calls",
    pages: [
      ["repair", "Repair of arguments"],
      ["coercion", "Coercion"],
      ["extraction", "Calls in text"],
      ["guards", "Guards and policy"],
      ["waiting", "Calls that wait"],
      ["failures", "Failures and their codes"],
      ["store", "The store"],
      ["testing", "Testing tools"],
    ],
  },
  {
    title: "Agents",
    pages: [
      ["agent", "Loops"],
      ["plans", "Plans"],
      ["code-mode", "Code mode"],
      ["dynamic-tools", "Dynamic tools"],
      ["sandbox", "The sandbox"],
      ["toolkit", "The toolkit"],
      ["toolkit-processes", "Processes"],
      ["toolkit-http", "HTTP"],
    ],
  },
  {
    title: "Elsewhere",
    pages: [
      ["mcp", "MCP servers' tools"],
      ["mcp-server", "Serving MCP"],
      ["mcp-defences", "MCP defences"],
      ["fleet", "A fleet of workers"],
      ["wire", "The fleet's protocol"],
      ["operating-nats", "Operating NATS"],
    ],
  },
  {
    title: "Inside",
    pages: [
      ["architecture", "Architecture"],
      ["benchmarks", "Benchmarks"],
      ["dependencies", "Dependencies"],
      ["reference/", "Reference"],
      ["contributing", "Contributing"],
      ["security", "Security"],
      ["changelog", "Changelog"],
    ],
  },
];
