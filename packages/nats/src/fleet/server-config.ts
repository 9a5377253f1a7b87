import { nkeys } from "@nats-io/transport-node";
import { check, declareOptions, type OptionTable, option } from "@toolrig/core/kit";
import { consumerName, limitStream, PRIORITIES, SUBJECT, token } from "../wire/names.ts";
import { nameOption } from "./setup.ts";

/** Who takes part in a fleet of several teams. */
export interface ServerPlan {
  /** The tools that each worker runs, by the worker's user name: "search_docs", or "search_docs@2" for calls of ^2, too. */
  workers: Readonly<Record<string, readonly string[]>>;
  /** The tools that each caller may call, by the caller's name, which becomes its account. */
  callers: Readonly<Record<string, readonly string[]>>;
  /** Whether there are queues of high and low priority. Default false. */
  priorities?: boolean;
  stream?: string;
  ledger?: string;
  serverName?: string;
  /** Default "127.0.0.1:4222". Elsewhere than on loopback `tls` is needed. */
  listen?: string;
  /** Where JetStream keeps its data. Default "./data". */
  store?: string;
  /** Files of the server's certificate and key, and of the authority that it is checked by. */
  tls?: { cert: string; key: string; ca?: string };
}

/** What a server's configuration consists of. */
export interface ServerConfig {
  /** The text for `nats-server -c`. */
  text: string;
  /** The seeds of everybody's NKeys, by user. Keep each where only its user reads it. */
  seeds: Readonly<Record<string, string>>;
  /** For `callers` of every worker: whose calls it takes, and who must have signed them. */
  callers: Readonly<Record<string, { keys: readonly string[] }>>;
}

/** The user that makes streams and queues, and the only one in the account with JetStream. */
const OPERATOR = "admin";
const NAME = /^[A-Za-z0-9_-]{1,64}$/;
const STORE = "STORE";
const TOOLS = "TOOLS";

const planOptions = declareOptions("the plan of a fleet's server", {
  workers: option.recordOf("tools by worker", option.strings("a list of tools"), { required: true }),
  callers: option.recordOf("tools by caller", option.strings("a list of tools"), { required: true }),
  priorities: option.flag({ default: false }),
  stream: nameOption("AGENT"),
  ledger: nameOption("TOOL_LEDGER"),
  serverName: option.text(),
  listen: option.text(),
  store: option.text(),
  tls: option.object("{ cert, key, ca }"),
} satisfies OptionTable<ServerPlan>);

/**
 * A configuration of nats-server in which participants need not trust each other: JetStream in an account of its own, the workers
 * in one, each caller in one, everybody with an NKey made here. Throws `OPTION_INVALID`.
 */
export function serverConfig(plan: ServerPlan): ServerConfig {
  checkPlan(plan);
  const users = [OPERATOR, ...Object.keys(plan.workers), ...Object.keys(plan.callers)];
  const pairs = new Map(users.map((user) => [user, nkeys.createUser()]));
  const seeds = Object.fromEntries(
    [...pairs].map(([user, pair]) => [user, Buffer.from(pair.getSeed()).toString()]),
  );
  const keyOf = (user: string) => pairs.get(user)?.getPublicKey() ?? "";
  const callers = Object.fromEntries(
    Object.keys(plan.callers).map((name) => [name, { keys: [keyOf(name)] }]),
  );
  // The operator's calls come from the fleet's own account, under its name.
  callers[OPERATOR] = { keys: [keyOf(OPERATOR)] };
  return { text: configText(plan, (user) => `nkey: ${keyOf(user)}`), seeds, callers };
}

/** The same text, with users as `credentialsOf` writes them. */
export function configText(plan: ServerPlan, credentialsOf: (user: string) => string): string {
  const workers = Object.entries(plan.workers);
  const callers = Object.keys(plan.callers);
  return `${headOf(plan)}
accounts {
  # JetStream, and nobody in it but the operator. Whoever may ask JetStream something can name any subject of the account as the reply,
  # and the server publishes there: so nobody else is in this account, and nobody may make consumers, which deliver anywhere, too.
  ${STORE} {
    jetstream: enabled
    users: [{ ${credentialsOf(OPERATOR)} }]
    exports: ${list(exportsOfStore(plan), 4)}
    imports: ${list(importsOfOperator(), 4)}
  }

  # The workers, without JetStream: they reach what is imported, each what its permissions name.
  ${TOOLS} {
    users: [
${workers.map(([user, tools]) => workerText(plan, user, tools, credentialsOf(user))).join("\n")}
    ]
    exports: ${list(exportsOfTools(callers), 4)}
    imports: ${list(importsOfTools(plan), 4)}
  }
${callers.map((name) => callerText(plan, name, credentialsOf(name))).join("")}}
`;
}

function checkPlan(plan: ServerPlan): void {
  planOptions.check(plan);
  const { workers, callers, listen = "127.0.0.1:4222", tls } = plan;
  const seen = new Set([OPERATOR, STORE, TOOLS]);
  for (const name of [...Object.keys(workers), ...Object.keys(callers)]) {
    if (!NAME.test(name))
      throw check.invalid("The name of a worker or caller", "letters, digits, _ and -", name);
    if (seen.has(name)) throw check.invalid("The name of a worker or caller", "one of its own", name);
    seen.add(name);
  }
  const run = new Set(Object.values(workers).flat());
  for (const name of Object.values(callers).flat())
    if (!run.has(name)) throw check.invalid("A caller's tool", "one that a worker runs", name);
  const byConsumer = new Map<string, string>();
  for (const { name, consumer } of [...run].flatMap((tool) => queuesOf(plan, tool))) {
    const other = byConsumer.get(consumer);
    if (other !== undefined && other !== name)
      throw check.invalid("tools", `names that differ in more than . _ and - (as ${other} does not)`, name);
    byConsumer.set(consumer, name);
  }
  const isLocal = /^(?:127\.|localhost:|\[::1\]:)/.test(listen);
  if (!isLocal && tls === undefined)
    throw check.invalid("tls", `certificates, to listen on ${listen}`, undefined);
}

interface QueueName {
  name: string;
  consumer: string;
  /** Of its calls, as callers publish them. */
  subject: string;
  imported: boolean;
}

/** The queues of a tool: of any version and of its major version, in each lane, of the operator and of callers. */
function queuesOf({ priorities = false }: ServerPlan, tool: string): QueueName[] {
  const [name = "", version] = tool.split("@");
  const majors = version === undefined ? [undefined] : [undefined, Number(version)];
  if (name === "" || majors.some((major) => major !== undefined && !Number.isSafeInteger(major)))
    throw check.invalid("A tool", 'its name, or its name and a major version, such as "search_docs@2"', tool);
  const lanes = priorities ? PRIORITIES : (["normal"] as const);
  return majors.flatMap((major) =>
    lanes.flatMap((lane) =>
      [false, true].map((imported) => ({
        name,
        consumer: consumerName(name, major, "", lane, imported),
        subject: `${SUBJECT.execute}.${token(name)}${major === undefined ? "" : `.v${major}`}${lane === "normal" ? "" : `.${lane}`}`,
        imported,
      })),
    ),
  );
}

const API = "$JS.API";

function bucketsOf({ stream = "AGENT", ledger = "TOOL_LEDGER" }: ServerPlan) {
  return {
    stream,
    ledger,
    objects: `${stream}_OBJECTS`,
    waits: `${stream}_WAITS`,
    cards: `${stream}_WORKERS`,
  };
}

/** Services of the store that workers import. Those that answer with several messages say so. */
function servicesForTools(plan: ServerPlan): [subject: string, streams?: true][] {
  const { stream, ledger, objects, waits, cards } = bucketsOf(plan);
  return [
    // With this one imported, the others of its kind reach the fleet's JetStream and not the account's own, which it has not.
    [`${API}.INFO`],
    [`${API}.STREAM.INFO.*`],
    [`${API}.CONSUMER.INFO.${stream}.*`],
    [`${API}.CONSUMER.MSG.NEXT.${stream}.*`, true],
    [`$JS.ACK.${stream}.>`],
    ...[ledger, objects, waits].flatMap((bucket): [string][] => [
      [`$KV.${bucket}.>`],
      [`${API}.STREAM.MSG.GET.KV_${bucket}`],
      [`${API}.DIRECT.GET.KV_${bucket}.>`],
    ]),
    [`${API}.DIRECT.GET.KV_${waits}`, true],
    [`$KV.${cards}.*`],
    [`${API}.DIRECT.GET.KV_${cards}.>`],
    ...limitsOf(plan).map((subject): [string] => [subject]),
    [`${SUBJECT.execute}.>`],
    [`${SUBJECT.deadLetter}.*`],
  ];
}

/** What limits of tools need that hold in the whole fleet. The operator makes their streams. */
function limitsOf({ workers }: ServerPlan): string[] {
  const names = new Set(Object.values(workers).flat().map(nameOf));
  return [...names].flatMap(limitsOfTool);
}

function limitsOfTool(name: string): string[] {
  const [rate, slots] = [limitStream("TOOL_RATE", name), limitStream("TOOL_SLOTS", name)];
  return [
    `${SUBJECT.rate}.${token(name)}`,
    `${API}.STREAM.MSG.DELETE.${rate}`,
    `${SUBJECT.slot}.${token(name)}.*`,
    `${API}.STREAM.MSG.DELETE.${slots}`,
    `${API}.STREAM.MSG.GET.${slots}`,
  ];
}

const nameOf = (tool: string) => tool.split("@")[0] ?? tool;

/** What of the store is a caller's: what the fleet is made of, and its own entries and large texts. */
function servicesFor(plan: ServerPlan, caller: string): string[] {
  const { stream, ledger, objects, cards } = bucketsOf(plan);
  const own = [`$KV.${ledger}.${caller}.*`, `$KV.${objects}.${caller}.>`];
  return [
    `${API}.INFO`,
    `${API}.STREAM.INFO.*`,
    `${API}.CONSUMER.INFO.${stream}.*`,
    `${API}.DIRECT.GET.KV_${cards}.>`,
    own[0] ?? "",
    `${API}.DIRECT.GET.KV_${ledger}.${own[0]}`,
    own[1] ?? "",
    `${API}.DIRECT.GET.KV_${objects}.${own[1]}`,
  ];
}

function callsOf(plan: ServerPlan, caller: string): string[] {
  const queues = (plan.callers[caller] ?? []).flatMap((tool) => queuesOf(plan, tool));
  return [...new Set(queues.map(({ subject }) => subject))];
}

/** What everybody asks workers, and what they are told of their own calls alone. */
const ASKED = [`${SUBJECT.worker}.*`, SUBJECT.list, SUBJECT.complete];
const ownOf = (caller: string) => [`${SUBJECT.cancel}.${caller}.*`, `${SUBJECT.answer}.${caller}.*`];

function exportsOfStore(plan: ServerPlan): string[] {
  const { ledger: _, cards } = bucketsOf(plan);
  const callers = Object.keys(plan.callers);
  const shared = new Map<string, string[]>();
  const share = (subject: string, account: string) =>
    shared.set(subject, [...(shared.get(subject) ?? []), account]);
  const streaming = new Set(servicesForTools(plan).flatMap(([subject, streams]) => (streams ? subject : [])));
  for (const [subject] of servicesForTools(plan)) share(subject, TOOLS);
  for (const caller of callers) for (const subject of servicesFor(plan, caller)) share(subject, caller);
  return [
    ...[...shared].map(([subject, accounts]) => {
      const type = streaming.has(subject) ? ", response_type: stream" : "";
      return `{ service: ${quoted(subject)}${type}, accounts: [${accounts.join(", ")}] }`;
    }),
    ...callers.flatMap((caller) =>
      callsOf(plan, caller).map(
        (subject) => `{ service: ${quoted(`${subject}.from.${caller}`)}, accounts: [${caller}] }`,
      ),
    ),
    `{ stream: ${quoted(`$KV.${cards}.*`)}, accounts: [${[TOOLS, ...callers].join(", ")}] }`,
    ...callers.map((caller) => `{ stream: "${SUBJECT.result}.${caller}.*", accounts: [${caller}] }`),
  ];
}

function exportsOfTools(callers: readonly string[]): string[] {
  return [
    ...ASKED.map((subject) => `{ service: "${subject}", accounts: [${[STORE, ...callers].join(", ")}] }`),
    ...[SUBJECT.cancel, SUBJECT.answer].map((kind) => `{ service: "${kind}.>", accounts: [${STORE}] }`),
    `{ stream: "${SUBJECT.update}.>", accounts: [${STORE}] }`,
    ...callers.flatMap((caller) => [
      ...ownOf(caller).map((subject) => `{ service: "${subject}", accounts: [${caller}] }`),
      `{ stream: "${SUBJECT.update}.${caller}.*", accounts: [${caller}] }`,
    ]),
  ];
}

function importsOfOperator(): string[] {
  return [
    ...[...ASKED, `${SUBJECT.cancel}.>`, `${SUBJECT.answer}.>`].map((subject) => service(TOOLS, subject)),
    stream(TOOLS, `${SUBJECT.update}.>`),
  ];
}

function importsOfTools(plan: ServerPlan): string[] {
  return [
    ...servicesForTools(plan).map(([subject]) => service(STORE, subject)),
    stream(STORE, `$KV.${bucketsOf(plan).cards}.*`),
  ];
}

function callerText(plan: ServerPlan, caller: string, credentials: string): string {
  const imports = [
    ...servicesFor(plan, caller).map((subject) => service(STORE, subject)),
    ...callsOf(plan, caller).map(
      (subject) =>
        `{ service: { account: ${STORE}, subject: ${quoted(`${subject}.from.${caller}`)} }, to: ${quoted(subject)} }`,
    ),
    ...[...ASKED, ...ownOf(caller)].map((subject) => service(TOOLS, subject)),
    stream(STORE, `$KV.${bucketsOf(plan).cards}.*`),
    stream(STORE, `${SUBJECT.result}.${caller}.*`),
    stream(TOOLS, `${SUBJECT.update}.${caller}.*`),
  ];
  return `
  ${caller} {
    users: [{ ${credentials} }]
    imports: ${list(imports, 4)}
  }
`;
}

function workerText(plan: ServerPlan, user: string, tools: readonly string[], credentials: string): string {
  const { stream, ledger, objects, waits, cards } = bucketsOf(plan);
  const queues = tools.flatMap((tool) => queuesOf(plan, tool));
  const names = [...new Set(tools.map(nameOf))];
  const publish = [
    ...queues.flatMap(({ consumer, subject, imported }) => [
      `${API}.CONSUMER.INFO.${stream}.${consumer}`,
      `${API}.CONSUMER.MSG.NEXT.${stream}.${consumer}`,
      `$JS.ACK.${stream}.${consumer}.>`,
      // Its own calls, which it puts back once they have their answers.
      imported ? `${subject}.from.*` : subject,
    ]),
    `${API}.STREAM.INFO.*`,
    ...[ledger, objects, waits].flatMap((bucket) => [
      `$KV.${bucket}.>`,
      `${API}.STREAM.MSG.GET.KV_${bucket}`,
      `${API}.DIRECT.GET.KV_${bucket}.>`,
    ]),
    `${API}.DIRECT.GET.KV_${waits}`,
    `$KV.${cards}.*`,
    `${API}.DIRECT.GET.KV_${cards}.>`,
    ...names.flatMap(limitsOfTool),
    `${SUBJECT.update}.>`,
    `${SUBJECT.result}.*`,
    `${SUBJECT.worker}.*`,
    ...["malformed", ...names].map((name) => `${SUBJECT.deadLetter}.${token(name).slice(0, 200)}`),
  ];
  const subscribe = [
    `_INBOX_${user}.>`,
    `$KV.${cards}.*`,
    ...ASKED,
    `${SUBJECT.cancel}.>`,
    `${SUBJECT.answer}.>`,
  ];
  return `      { ${credentials}, permissions: {
        publish: { allow: ${list(publish.map(quoted), 8)} }
        subscribe: { allow: [${subscribe.map(quoted).join(", ")}] }
        allow_responses: true
      } }`;
}

function headOf({
  serverName = "fleet",
  listen = "127.0.0.1:4222",
  store = "./data",
  tls,
}: ServerPlan): string {
  const files =
    tls === undefined
      ? '# tls { cert_file: "server.pem", key_file: "server.key", ca_file: "ca.pem", verify: true }'
      : `tls { cert_file: ${quoted(tls.cert)}, key_file: ${quoted(tls.key)}${tls.ca === undefined ? "" : `, ca_file: ${quoted(tls.ca)}, verify: true`} }`;
  return `server_name: ${value(serverName)}
listen: ${value(listen)}

jetstream {
  store_dir: ${value(store)}
  # What power loss can cost: writes of the last 100 ms.
  sync_interval: "100ms"
}

${files}
`;
}

const quoted = (text: string) => JSON.stringify(text);
/** `$NAME` is read from the environment by the server. */
const value = (text: string) => (/^\$[A-Z_]+$/.test(text) ? text : quoted(text));
const service = (account: string, subject: string) =>
  `{ service: { account: ${account}, subject: ${quoted(subject)} } }`;
const stream = (account: string, subject: string) =>
  `{ stream: { account: ${account}, subject: ${quoted(subject)} } }`;

function list(lines: readonly string[], indent: number): string {
  const space = " ".repeat(indent);
  return `[\n${lines.map((line) => `${space}  ${line}\n`).join("")}${space}]`;
}
