import { describe, expect, test } from "vitest";
import { NatsExecutor, NatsWorker, openNatsStores } from "../src/index.ts";

/** Nobody listens there: what is refused later than it should be fails in another way. */
const nats = { servers: "nats://127.0.0.1:1", reconnect: false, timeout: 500 };
const worker = (given: object) => new NatsWorker({ nats, tools: [], ...given });
const config = (given: object) => worker({ config: given });
const limits = (given: object) => config({ tools: { t: given } });
const caller = (given: object) => NatsExecutor.connect({ nats, ...given });
const stores = (given: object) => openNatsStores({ nats, ...given });

const refused: [what: string, make: (given: never) => unknown, given: unknown, message: string][] = [
  ["a misspelt setting of a worker", worker, { guard: [] }, 'Did you mean "guards"?'],
  ["nats", worker, { nats: "nats://127.0.0.1" }, "nats must be options of a connection"],
  ["a misspelt setting of its fleet", worker, { fleet: { replica: 3 } }, 'Did you mean "replicas"?'],
  ["approvalKeys", worker, { approvalKeys: "PEM" }, "approvalKeys must be a list of public keys in PEM"],
  ["redact", worker, { redact: "hunter2" }, "redact must be an object of options"],
  ["a misspelt field of a configuration", config, { streamname: "A" }, 'Did you mean "stream_name"?'],
  ["stream_name", config, { stream_name: "a b" }, "stream_name must be a name of letters"],
  ["consumer_name_suffix", config, { consumer_name_suffix: 42 }, "consumer_name_suffix must be a string"],
  ["delete_consumer_on_stop", config, { delete_consumer_on_stop: "x" }, "must be true or false"],
  ["priorities", config, { priorities: 1 }, "priorities must be true or false"],
  ["timeout", config, { timeout: 0 }, "timeout must be a duration above 0"],
  ["ports", config, { ports: { inputs: 42 } }, "ports.inputs must be a list of ports"],
  ["tools", config, { tools: 42 }, "tools must be limits by the names of tools"],
  ["a tool's timeout", limits, { timeout: 0 }, "tools.t.timeout must be a duration above 0"],
  ["a tool's rate", limits, { rate: { limit: 1, per: 0 } }, "tools.t.rate.per must be a duration above 0"],
  ["half a rate", limits, { rate: { limit: 1 } }, "tools.t.rate.per must be a duration above 0"],
  ["a tool's backoff", limits, { retry: { backoff: "x" } }, "tools.t.retry.backoff must be a duration"],
  ["a misspelt limit of a tool", limits, { timeot: "1s" }, 'Did you mean "timeout"?'],
  ["a misspelt setting of a caller", caller, { queueTimeouts: "1s" }, 'Did you mean "queueTimeout"?'],
  ["its fleet", caller, { fleet: { stream: "a b" } }, "stream must be a name of letters"],
  ["queueTimeout", caller, { queueTimeout: 0 }, "queueTimeout must be a duration above 0"],
  ["the name of callers without one", caller, { caller: "id" }, "caller must be another name"],
  ["priority", caller, { priority: "urgent" }, 'priority must be "high" or "normal" or "low"'],
  ["approval", caller, { approval: 42 }, "approval must be a function; got 42"],
  ["a misspelt setting of stores", stores, { prefx: "A" }, 'Did you mean "prefix"?'],
  ["prefix", stores, { prefix: "a b" }, "prefix must be a name of letters"],
];

describe("options refused", () => {
  test.each(refused)("%s", async (_what, make, given, message) => {
    const making = (async () => make(given as never))();
    await expect(making).rejects.toMatchObject({
      code: "OPTION_INVALID",
      message: expect.stringContaining(message),
    });
  });
});
