import type {
  Annotations,
  AudioContent,
  BlobResourceContents,
  CallToolResult,
  CompleteResult,
  EmbeddedResource,
  GetPromptResult,
  Icon,
  ImageContent,
  Implementation,
  LoggingMessageNotificationParams,
  ProgressNotificationParams,
  Prompt,
  PromptArgument,
  PromptMessage,
  ReadResourceResult,
  Resource,
  ResourceLink,
  ResourceTemplateType,
  ResourceUpdatedNotificationParams,
  TextContent,
  TextResourceContents,
  Tool,
  ToolAnnotations,
} from "@modelcontextprotocol/server";

/**
 * carried: the client gets what the server sent. changed: it gets something else for it, as the sentence says. refused: it gets nothing of
 * it, as the sentence says.
 */
export type Fate = readonly ["carried", why?: string] | readonly ["changed" | "refused", why: string];

/** Fields that a type names: the SDK's types also allow any other. */
export type KnownOf<Type> = {
  [Key in keyof Type as string extends Key ? never : number extends Key ? never : Key]: Type[Key];
};

/** A field that the SDK adds to a type does not compile until it has its row here. */
type FatesOf<Type> = Readonly<Record<keyof KnownOf<Type>, Fate>>;

const carried: Fate = ["carried"];
const changed = (why: string): Fate => ["changed", why];
const refused = (why: string): Fate => ["refused", why];

const META: Fate = [
  "carried",
  "without keys of the protocol's and of Toolrig's own, up to 64,000 characters",
];
const HINTS = carried;
const ICONS: Fate = ["carried", "by https: and data: addresses, up to ten"];
const NAMED = changed("the connection stands before it, so that two servers cannot collide");
const URI = changed(
  "the connection stands before it (`toolrig://mcp/NAME/...`), and reading it asks that server; http(s) stays",
);
const TEXT: Fate = ["carried", "without hidden characters, as all words of servers"];
const SESSION = refused("it is between the server and the rig");

const tool: FatesOf<Tool> = {
  name: NAMED,
  title: carried,
  description: TEXT,
  inputSchema: ["carried", "a required field with a default need not be given: the server fills it in"],
  outputSchema: carried,
  annotations: changed("a server that is not trusted can only make its tools look more careful"),
  execution: changed("whether a call can be a task follows from the rig's ledger"),
  icons: ICONS,
  _meta: META,
};
const trusted: FatesOf<ToolAnnotations> = {
  title: carried,
  readOnlyHint: carried,
  destructiveHint: carried,
  idempotentHint: carried,
  openWorldHint: carried,
};
const result: FatesOf<CallToolResult> = {
  content: changed("part by part, as the rows of the parts say"),
  structuredContent: carried,
  isError: carried,
  _meta: changed("the execution in the records is added; the rest as in every `_meta`"),
};
const text: FatesOf<TextContent> = { type: carried, text: TEXT, annotations: HINTS, _meta: META };
const image: FatesOf<ImageContent> = {
  type: carried,
  data: carried,
  mimeType: carried,
  annotations: HINTS,
  _meta: META,
};
const audio: FatesOf<AudioContent> = {
  type: carried,
  data: carried,
  mimeType: carried,
  annotations: HINTS,
  _meta: META,
};
const link: FatesOf<ResourceLink> = {
  type: carried,
  uri: URI,
  name: carried,
  title: carried,
  description: TEXT,
  mimeType: carried,
  size: carried,
  icons: ICONS,
  annotations: HINTS,
  _meta: META,
};
const embedded: FatesOf<EmbeddedResource> = {
  type: carried,
  resource: changed("field by field, as the rows of its contents say"),
  annotations: HINTS,
  _meta: META,
};
const words: FatesOf<TextResourceContents> = { uri: URI, mimeType: carried, text: TEXT, _meta: META };
const bytes: FatesOf<BlobResourceContents> = { uri: URI, mimeType: carried, blob: carried, _meta: META };
/** The token is the client's own, and the SDK keeps it to itself. */
type ProgressFields = Omit<KnownOf<ProgressNotificationParams>, "progressToken">;
const progress: FatesOf<ProgressFields> = {
  progress: ["carried", "at most 50 a second"],
  total: carried,
  message: TEXT,
  _meta: META,
};
const log: FatesOf<LoggingMessageNotificationParams> = {
  level: ["carried", "from info on, which servers are asked for"],
  logger: carried,
  data: ["carried", "without secrets, up to 2,000 characters, at most twenty a second"],
  _meta: META,
};
const annotations: FatesOf<Annotations> = { audience: carried, priority: carried, lastModified: carried };
const icon: FatesOf<Icon> = { src: carried, mimeType: carried, sizes: carried, theme: carried };
const listed = { title: carried, description: TEXT, icons: ICONS, _meta: META } as const;
const prompt: FatesOf<Prompt> = { name: NAMED, arguments: carried, ...listed };
const argument: FatesOf<PromptArgument> = {
  name: carried,
  description: TEXT,
  required: carried,
};
const got: FatesOf<GetPromptResult> = {
  description: TEXT,
  messages: changed("part by part, as the rows of the parts say"),
  _meta: META,
};
const message: FatesOf<PromptMessage> = {
  role: carried,
  content: ["carried", "as the rows of the parts say"],
};
const resource: FatesOf<Resource> = {
  uri: URI,
  name: carried,
  mimeType: carried,
  size: carried,
  annotations: HINTS,
  ...listed,
};
const template: FatesOf<ResourceTemplateType> = {
  uriTemplate: URI,
  name: carried,
  mimeType: carried,
  annotations: HINTS,
  ...listed,
};
const read: FatesOf<ReadResourceResult> = {
  contents: changed("part by part, as the rows of the contents say"),
  _meta: META,
};
const completion: FatesOf<CompleteResult["completion"]> = {
  values: ["carried", "up to a hundred"],
  total: carried,
  hasMore: carried,
};
const completed: FatesOf<CompleteResult> = {
  completion: ["carried", "value by value, as its rows say"],
  _meta: META,
};
const updated: FatesOf<ResourceUpdatedNotificationParams> = {
  uri: URI,
  _meta: SESSION,
};
const AS_RIG = changed("the client is told what the rig is called");
const UNTOLD = refused("the client is told of the rig, not of the servers behind");
const server: FatesOf<Implementation> = {
  name: AS_RIG,
  version: AS_RIG,
  title: UNTOLD,
  description: UNTOLD,
  websiteUrl: UNTOLD,
  icons: UNTOLD,
};

/** Every type of the protocol that a server sends through the gateway. */
export const FATES = {
  tool,
  trusted,
  result,
  text,
  image,
  audio,
  link,
  embedded,
  words,
  bytes,
  annotations,
  icon,
  progress,
  log,
  prompt,
  argument,
  got,
  message,
  resource,
  template,
  read,
  completion,
  completed,
  updated,
  server,
};

export type Kind = keyof typeof FATES;

/** What each kind is, for readers. */
export const TITLES: Readonly<Record<Kind, string>> = {
  tool: "a tool",
  trusted: "its annotations, of a server that is trusted",
  result: "a result",
  text: "text content",
  image: "an image",
  audio: "audio",
  link: "a resource link",
  embedded: "an embedded resource",
  words: "text contents of a resource",
  bytes: "binary contents of a resource",
  annotations: "annotations of content",
  icon: "an icon",
  progress: "progress",
  log: "a log message",
  prompt: "a prompt",
  argument: "an argument of a prompt",
  got: "the result of getting a prompt",
  message: "a message of a prompt",
  resource: "a resource",
  template: "a resource template",
  read: "the result of reading a resource",
  completion: "a completion",
  completed: "the result of completing",
  updated: "the notice that a resource changed",
  server: "what the server says it is",
};
