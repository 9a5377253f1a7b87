/** The accounts of a fleet, as a configuration of nats-server has them. */
import { SUBJECT, token } from "../../wire/names.ts";
import { list, quoted, service, stream } from "./notation.ts";
import { type ServerPlan, STORE, TOOLS } from "./plan.ts";
import { nameOf, queuesOf } from "./queues.ts";
import {
  API,
  ASKED,
  bucketsOf,
  callsOf,
  limitsOfTool,
  ownOf,
  servicesFor,
  servicesForTools,
} from "./services.ts";

/** How somebody logs in, and the prefixes of the inboxes that are its own. */
export interface Login {
  credentials: string;
  inboxes: readonly string[];
}

/** Names are quoted, so that none is a number or a word of the configuration's language. */
const among = (accounts: readonly string[]) => `[${accounts.map(quoted).join(", ")}]`;

export function exportsOfStore(plan: ServerPlan): string[] {
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
      return `{ service: ${quoted(subject)}${type}, accounts: ${among(accounts)} }`;
    }),
    ...callers.flatMap((caller) =>
      callsOf(plan, caller).map(
        (subject) => `{ service: ${quoted(`${subject}.from.${caller}`)}, accounts: ${among([caller])} }`,
      ),
    ),
    `{ stream: ${quoted(`$KV.${cards}.*`)}, accounts: ${among([TOOLS, ...callers])} }`,
    ...callers.map((caller) => `{ stream: "${SUBJECT.result}.${caller}.*", accounts: ${among([caller])} }`),
  ];
}

export function exportsOfTools(callers: readonly string[]): string[] {
  return [
    ...ASKED.map((subject) => `{ service: "${subject}", accounts: ${among([STORE, ...callers])} }`),
    ...[SUBJECT.cancel, SUBJECT.answer].map(
      (kind) => `{ service: "${kind}.>", accounts: ${among([STORE])} }`,
    ),
    `{ stream: "${SUBJECT.update}.>", accounts: ${among([STORE])} }`,
    ...callers.flatMap((caller) => [
      ...ownOf(caller).map((subject) => `{ service: "${subject}", accounts: ${among([caller])} }`),
      `{ stream: "${SUBJECT.update}.${caller}.*", accounts: ${among([caller])} }`,
    ]),
  ];
}

export function importsOfOperator(): string[] {
  return [
    ...[...ASKED, `${SUBJECT.cancel}.>`, `${SUBJECT.answer}.>`].map((subject) => service(TOOLS, subject)),
    stream(TOOLS, `${SUBJECT.update}.>`),
  ];
}

export function importsOfTools(plan: ServerPlan): string[] {
  return [
    ...servicesForTools(plan).map(([subject]) => service(STORE, subject)),
    stream(STORE, `$KV.${bucketsOf(plan).cards}.*`),
  ];
}

export function callerText(plan: ServerPlan, caller: string, login: Login): string {
  const imports = [
    ...servicesFor(plan, caller).map((subject) => service(STORE, subject)),
    ...callsOf(plan, caller).map(
      (subject) =>
        `{ service: { account: ${quoted(STORE)}, subject: ${quoted(`${subject}.from.${caller}`)} }, to: ${quoted(subject)} }`,
    ),
    ...[...ASKED, ...ownOf(caller)].map((subject) => service(TOOLS, subject)),
    stream(STORE, `$KV.${bucketsOf(plan).cards}.*`),
    stream(STORE, `${SUBJECT.result}.${caller}.*`),
    stream(TOOLS, `${SUBJECT.update}.${caller}.*`),
  ];
  return `
  ${quoted(caller)} {
    users: [{ ${login.credentials} }]
    imports: ${list(imports, 4)}
  }
`;
}

export function workerText(plan: ServerPlan, tools: readonly string[], login: Login): string {
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
    ...login.inboxes.map((prefix) => `${prefix}.>`),
    `$KV.${cards}.*`,
    ...ASKED,
    `${SUBJECT.cancel}.>`,
    `${SUBJECT.answer}.>`,
  ];
  return `      { ${login.credentials}, permissions: {
        publish: { allow: ${list(publish.map(quoted), 8)} }
        subscribe: { allow: [${subscribe.map(quoted).join(", ")}] }
        allow_responses: true
      } }`;
}
