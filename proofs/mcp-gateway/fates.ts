import type {
  AudioContent,
  BlobResourceContents,
  CallToolResult,
  EmbeddedResource,
  ImageContent,
  LoggingMessageNotificationParams,
  ProgressNotificationParams,
  ResourceLink,
  TextContent,
  TextResourceContents,
  Tool,
  ToolAnnotations,
} from "@modelcontextprotocol/server";

/**
 * carried: the client gets what the server sent. changed: it gets something else for it, as `why` says. refused: it gets nothing of it, as
 * `why` says.
 */
export type Fate = readonly ["carried"] | readonly ["changed" | "refused", why: string];

/** Fields that a type names: the SDK's types also allow any other. */
type KnownOf<Type> = {
  [Key in keyof Type as string extends Key ? never : number extends Key ? never : Key]: Type[Key];
};

/** A field that the SDK adds to a type does not compile until it has its row here. */
type FatesOf<Type> = Readonly<Record<keyof KnownOf<Type>, Fate>>;

const carried: Fate = ["carried"];
const changed = (why: string): Fate => ["changed", why];
const refused = (why: string): Fate => ["refused", why];

const META = refused("`_meta` is for the two sides of one connection");
const HINTS = refused("who a part is for is for the client in front to say");
const ICONS = refused(
  "a picture from an address of the server's choosing is not fetched by those who look at tools",
);
const NAMED = changed("the connection's name stands before it, so that two servers cannot collide");

const tool: FatesOf<Tool> = {
  name: NAMED,
  title: carried,
  description: carried,
  inputSchema: carried,
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
  _meta: changed("the execution in the records stands there instead"),
};
const text: FatesOf<TextContent> = { type: carried, text: carried, annotations: HINTS, _meta: META };
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
  uri: carried,
  name: carried,
  title: carried,
  description: carried,
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
const words: FatesOf<TextResourceContents> = { uri: carried, mimeType: carried, text: carried, _meta: META };
const bytes: FatesOf<BlobResourceContents> = { uri: carried, mimeType: carried, blob: carried, _meta: META };
/** The token is the client's own, and the SDK keeps it to itself. */
const progress: FatesOf<Omit<KnownOf<ProgressNotificationParams>, "progressToken">> = {
  progress: changed("as a share of the whole, where the server tells the whole"),
  total: changed("1, where the server tells the whole"),
  message: carried,
  _meta: META,
};
const log: FatesOf<LoggingMessageNotificationParams> = {
  level: changed("to one of debug, info, warning and error"),
  logger: refused("it stands before the words"),
  data: changed("as text, without secrets, with the logger before it"),
  _meta: META,
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
  progress,
  log,
};

export type Kind = keyof typeof FATES;
