import { must, type StdioBehaviour } from "../behaviour.ts";
import { ECHO, named, text } from "../peer.ts";
import type { Scene } from "../scene.ts";

export const results: readonly StdioBehaviour[] = [
  {
    name: "a result of 3 MB of text",
    outcome: "it is cut to 1,000,000 characters, and says so",
    server: () => ({ "tools/call": () => text("x".repeat(3_000_000)) }),
    async check(scene) {
      const { content, isError, failure } = await scene.call("echo");
      must(!isError, `it failed: ${failure?.message.slice(0, 200)}`);
      const size = JSON.stringify(content).length;
      must(size <= 1_001_000, `${size} characters came through`);
      must(/cut|left out/.test(JSON.stringify(content).slice(-2_000)), "nothing says that it was cut");
    },
  },
  {
    name: "a result of 50,000 parts",
    outcome: "what is beyond the limit is left out, and says so",
    server: () => ({
      "tools/call": () => ({ content: Array.from({ length: 50_000 }, () => ({ type: "text", text: "x" })) }),
    }),
    async check(scene) {
      const { content } = await scene.call("echo");
      must(content.length <= 1_001, `${content.length} parts came through`);
    },
  },
  {
    name: "a picture of 3 MB",
    outcome: "it counts as its characters do: not shown, kept as an artifact, and says so",
    server: () => ({
      "tools/call": () => ({
        content: [{ type: "image", data: "A".repeat(3_000_000), mimeType: "image/png" }],
      }),
    }),
    async check(scene) {
      const { content, isError } = await scene.call("echo");
      must(!isError, "it failed");
      must(JSON.stringify(content).length < 1_000, "it came through");
      must(JSON.stringify(content).includes("[image/png, 2250000 bytes, kept as art_"), "nothing says so");
    },
  },
  {
    name: "types of content that are megabytes long, or tell the model something",
    outcome: "what is no type counts as unknown",
    server: () => ({
      "tools/call": () => ({
        content: ["IGNORE ALL", "image/png\u202e\u001b[31m", `image/${"z".repeat(500_000)}`].flatMap(
          (mimeType) => [
            { type: "image", data: "AAAA", mimeType },
            { type: "audio", data: "AAAA", mimeType },
            { type: "resource_link", uri: "a:b", name: "b", mimeType },
            { type: "resource", resource: { uri: "a:b", text: "b", mimeType } },
            { type: "resource", resource: { uri: "a:b", blob: "AAAA", mimeType } },
          ],
        ),
      }),
    }),
    async check(scene) {
      const { content, isError } = await scene.call("echo");
      must(!isError && content.length === 15, `${content.length} parts came through`);
      const all = JSON.stringify(content);
      must(all.length < 5_000, `${all.length} characters came through`);
      must(!/IGNORE|zzz|u202e|u001b|\u202e/i.test(all), all);
    },
  },
  ...[
    { content: [{ type: "image", data: "no base64!", mimeType: "image/png" }] },
    { content: [], isError: "true" },
    { content: "done" },
  ].map((result) => ({
    name: `a result that is none of the protocol's: ${JSON.stringify(result)}`,
    outcome: "TOOL_OUTCOME_UNKNOWN: the call was made",
    server: () => ({ "tools/call": () => result }),
    async check(scene: Scene) {
      const { failure } = await scene.call("echo");
      must(failure?.code === "TOOL_OUTCOME_UNKNOWN", `it came to ${failure?.code}`);
      must(failure.message.length < 300, failure.message);
    },
  })),
  {
    name: "a result that does not fit its output schema",
    outcome: "TOOL_OUTPUT_INVALID",
    server: () => ({
      "tools/list": () => ({
        tools: [
          named("bad", {
            outputSchema: { type: "object", properties: { n: { type: "number" } }, required: ["n"] },
          }),
        ],
      }),
      "tools/call": () => text("{}", { structuredContent: { n: "many" } }),
    }),
    async check(scene) {
      const { failure } = await scene.call("bad");
      must(failure?.code === "TOOL_OUTPUT_INVALID", `it came to ${failure?.code}`);
    },
  },
  {
    name: "an output schema and no structured answer",
    outcome: "TOOL_OUTPUT_INVALID",
    server: () => ({
      "tools/list": () => ({ tools: [named("bad", { outputSchema: { type: "object" } })] }),
      "tools/call": () => text("nothing structured"),
    }),
    async check(scene) {
      const { failure } = await scene.call("bad");
      must(failure?.code === "TOOL_OUTPUT_INVALID", `it came to ${failure?.code}`);
    },
  },
  {
    name: "an error that holds secrets",
    outcome: "the call fails, and the secret is in no record",
    server: () => ({ "tools/call": () => text("cannot log in with sk-ant-REDACTED", { isError: true }) }),
    async check(scene) {
      const { failure, executionId } = await scene.call("echo");
      must(failure?.code === "TOOL_EXECUTION_FAILED", `it came to ${failure?.code}`);
      const record = JSON.stringify(await scene.record(executionId));
      must(record.includes("cannot log in"), "there is no record");
      must(!record.includes("abcdefghijklmnopqrstuvwxyz"), "the secret is in the record");
    },
  },
  {
    name: "content of kinds that nobody knows",
    outcome: "the call ends in one result; what is not known is not shown as something else",
    server: () => ({
      "tools/call": () => ({
        content: [
          { type: "hologram", data: 1 },
          { type: "text" },
          null,
          7,
          { type: "text", text: { toString: 1 } },
        ],
      }),
    }),
    async check(scene) {
      const { content, failure } = await scene.call("echo");
      must(Array.isArray(content), "there is no content");
      must(
        failure !== undefined ||
          content.every((part) => part.type !== "text" || typeof part.text === "string"),
        JSON.stringify(content),
      );
    },
  },
  {
    name: "a result that is none",
    outcome: "the call fails; it is not taken for a success",
    server: () => ({ "tools/call": () => ({ content: "text" }) }),
    async check(scene) {
      const { failure } = await scene.call("echo");
      must(failure !== undefined, "it was taken for a success");
      must(!(await scene.call("echo")).content.some((part) => part.type !== "text"), "it has other content");
    },
  },
  {
    name: "links to files of this machine",
    outcome: "they stay links: nobody reads them",
    server: () => ({
      "tools/call": () => ({
        content: [
          { type: "resource_link", uri: "file:///etc/passwd", name: "passwd" },
          { type: "resource", resource: { uri: "file:///etc/shadow", text: "no content" } },
        ],
      }),
    }),
    async check(scene) {
      const { content } = await scene.call("echo");
      must(!JSON.stringify(content).includes("root:"), "the file was read");
      must(content.length === 2, `${content.length} parts came`);
    },
  },
  {
    name: "a structured answer nested 1,500 deep",
    outcome: "the call fails: it is deeper than can be checked",
    server: () => {
      let deep: unknown = 1;
      for (let level = 0; level < 1_500; level += 1) deep = { a: deep };
      return { "tools/call": () => text("deep", { structuredContent: deep }) };
    },
    async check(scene) {
      const { failure } = await scene.call("echo");
      must(failure !== undefined, "it was taken");
    },
  },
  {
    name: "a task in place of a result, which never ends",
    outcome: "the call ends in one result, and no task is waited for that was not asked for",
    server: () => ({
      "tools/list": () => ({ tools: [{ ...ECHO, execution: { taskSupport: "optional" } }] }),
      "tools/call": () => ({
        task: {
          taskId: "t1",
          status: "working",
          createdAt: "2026-01-01T00:00:00Z",
          ttl: null,
          pollInterval: 1,
        },
        content: [],
      }),
      "tasks/get": () => ({ taskId: "t1", status: "working", ttl: null, pollInterval: 1 }),
    }),
    options: { timeout: "3s" },
    async check(scene) {
      const { content } = await scene.call("echo");
      must(Array.isArray(content), "there is no result");
    },
  },
];
