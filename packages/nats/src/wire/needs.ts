import { readExecuteSubject, SUBJECT } from "./names.ts";
import type { Needs, PublishNeed } from "./permissions.ts";

/** What callers and workers do on the server, as permissions name it. */

interface Names {
  ledger: string;
  objects: string;
  workers: string;
  stream: string;
  waits: string;
}

/** A consumer, and the subject of its calls. */
interface ConsumerOf {
  consumer: string;
  calls: string;
}

/** A token that no execution has. */
const PROBE = "toolrig-probe";

/** Of a caller whose keys begin with `prefix`. Which tools it calls is seen when it calls them. */
export function callerNeeds({ ledger, objects }: Names, prefix: string): Needs {
  return {
    publish: [
      ...bucketNeeds(ledger, `${prefix}.*`, `${prefix}.${PROBE}`),
      ...bucketNeeds(objects, `${prefix}.>`, `${prefix}.${PROBE}.call.0`),
      { allow: `${SUBJECT.cancel}.${prefix}.*`, subject: `${SUBJECT.cancel}.${prefix}.${PROBE}` },
      { allow: `${SUBJECT.worker}.*`, subject: `${SUBJECT.worker}.${PROBE}` },
    ],
    subscribe: [`${SUBJECT.result}.${prefix}.*`, `${SUBJECT.update}.${prefix}.*`],
  };
}

/** Of any worker that tells plain results under `results`, apart from its card, which it shows at the start. */
export function workerNeeds({ ledger, objects, workers, waits }: Names, results: readonly string[]): Needs {
  const key = `${PROBE}.${PROBE}`;
  const cards = `$JS.API.DIRECT.GET.KV_${workers}`;
  return {
    publish: [
      ...decidingNeeds(ledger, key),
      ...decidingNeeds(objects, `${key}.result.0`),
      ...decidingNeeds(waits, key),
      followed(waits),
      { allow: `${SUBJECT.update}.>`, subject: `${SUBJECT.update}.${key}` },
      { allow: `${SUBJECT.deadLetter}.malformed`, subject: `${SUBJECT.deadLetter}.malformed`, stored: true },
      { allow: `${SUBJECT.worker}.*`, subject: `${SUBJECT.worker}.${PROBE}` },
      { allow: `${cards}.>`, subject: `${cards}.$KV.${workers}.${PROBE}` },
      ...results.map((each) => ({ allow: `${each}.*`, subject: `${each}.${PROBE}`, stored: true })),
    ],
    subscribe: [
      `${SUBJECT.cancel}.>`,
      SUBJECT.complete,
      `${SUBJECT.answer}.>`,
      `${SUBJECT.worker}.*`,
      SUBJECT.list,
      `$KV.${workers}.*`,
    ],
  };
}

/** Of a worker that takes calls from consumers, and puts those back that have asked somebody and were answered. */
export function consumerNeeds({ stream }: Names, consumers: readonly ConsumerOf[]): Needs {
  const publish = consumers.flatMap(({ consumer, calls }): PublishNeed[] => {
    const next = `$JS.API.CONSUMER.MSG.NEXT.${stream}.${consumer}`;
    const ack = `$JS.ACK.${stream}.${consumer}`;
    const aside = `${SUBJECT.deadLetter}.${readExecuteSubject(calls)?.toolToken.slice(0, 200)}`;
    return [
      { allow: next, subject: next },
      { allow: `${ack}.>`, subject: `${ack}.${PROBE}` },
      { allow: calls, subject: calls.replace(/\*$/, PROBE), stored: true },
      { allow: aside, subject: aside, stored: true },
    ];
  });
  return { publish, subscribe: [] };
}

/** Of a worker that makes those consumers, each for the calls on a subject, where they are not there. */
export function makingNeeds(names: Names, consumers: readonly ConsumerOf[]): Needs {
  const api = "$JS.API.CONSUMER";
  const taking = consumerNeeds(names, consumers);
  const making = consumers.flatMap(({ consumer, calls }) =>
    [`${api}.INFO.${names.stream}.${consumer}`, `${api}.CREATE.${names.stream}.${consumer}.${calls}`].map(
      (subject) => ({ allow: subject, subject }),
    ),
  );
  return { publish: [...making, ...taking.publish], subscribe: [] };
}

/** Of who reads a bucket in order. */
function followed(bucket: string): PublishNeed {
  const read = `$JS.API.DIRECT.GET.KV_${bucket}`;
  return { allow: read, subject: read };
}

/** Of who reads a bucket from its leader. */
function decidingNeeds(bucket: string, key: string): PublishNeed[] {
  const read = `$JS.API.STREAM.MSG.GET.KV_${bucket}`;
  return [
    { allow: `$KV.${bucket}.>`, subject: `$KV.${bucket}.${key}`, stored: true },
    { allow: read, subject: read },
  ];
}

function bucketNeeds(bucket: string, keys: string, key: string): PublishNeed[] {
  const [all, one] = [`$KV.${bucket}.${keys}`, `$KV.${bucket}.${key}`];
  const read = `$JS.API.DIRECT.GET.KV_${bucket}`;
  return [
    { allow: all, subject: one, stored: true },
    { allow: `${read}.${all}`, subject: `${read}.${one}` },
  ];
}
