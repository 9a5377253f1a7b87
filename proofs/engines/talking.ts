import { VENDOR_NAMES } from "../../packages/agent/test/wire/vendors.ts";
import { answeredWith, call, failing, HARD, noted, retriedFor, type Situation } from "./situation.ts";

const done = { text: "Done." };
/** The image of `look`, in base64. */
const IMAGE = "iVBORw0KGgo";

/** How a request holds the image: as an image of the vendor's, or written out within a text. */
function imageIn(body: unknown): "image" | "text" | "absent" {
  let form: "image" | "text" | "absent" = "absent";
  JSON.stringify(body, (key, value) => {
    if (typeof value === "string" && value.includes(IMAGE))
      form = form === "text" || key === "text" || key === "content" || key === "output" ? "text" : "image";
    return value;
  });
  return form;
}

const NO_OWN_TOOLS = "has no tools of its own";

/** What a conversation consists of when nothing goes wrong. */
export const TALKING: readonly Situation[] = [
  {
    name: "an answer in pieces of 1 to 64 bytes",
    async misses(bench) {
      const misses: string[] = [];
      for (const cutEvery of [1, 2, 5, 64])
        misses.push(...failing(answeredWith(await bench.play([{ text: HARD }], { cutEvery }), HARD)));
      return misses;
    },
  },
  {
    name: "parallel calls in pieces",
    async misses(bench) {
      const said = { text: "I note.", calls: [call(HARD), call("two"), call("three")] };
      const conversation = await bench.play([said, done], { cutEvery: 3 });
      return failing({
        ...answeredWith(conversation, "Done."),
        ...noted(conversation, HARD, "two", "three"),
      });
    },
  },
  {
    name: "whole responses",
    async misses(bench) {
      const conversation = await bench.play([{ calls: [call("one")] }, done], { streaming: false });
      return failing({ ...answeredWith(conversation, "Done."), ...noted(conversation, "one") });
    },
  },
  {
    name: "call ids that repeat",
    async misses(bench) {
      const same = call("one");
      const replies = [{ calls: [same, same] }, { calls: [same] }, done];
      const conversation = await bench.play(replies);
      return failing({ ...answeredWith(conversation, "Done."), ...noted(conversation, "one", "one", "one") });
    },
  },
  {
    name: "arguments that are not JSON",
    not: { google: "gives arguments as values" },
    async misses(bench) {
      const broken = { ...call("x"), arguments: "{text: 'one',}" };
      const conversation = await bench.play([{ calls: [broken] }, done]);
      return failing({ ...answeredWith(conversation, "Done."), ...noted(conversation, "one") });
    },
  },
  {
    name: "a tool that does not exist",
    async misses(bench) {
      const conversation = await bench.play([{ calls: [call("x", "nott")] }, { calls: [call("one")] }, done]);
      return failing({ ...answeredWith(conversation, "Done."), ...noted(conversation, "one") });
    },
  },
  {
    name: "thinking goes back as it was signed",
    not: { "openai chat": "does not show its thinking" },
    async misses(bench) {
      const mark = {
        "openai responses": "rs_1",
        anthropic: '"signature":"signed"',
        google: '"thoughtSignature":"signed"',
        mistral: "Let me see.",
        "openai-compatible": "Let me see.",
        "openai chat": "",
      }[bench.vendor];
      const said = { reasoning: "Let me see.", text: "I note.", calls: [call("one")] };
      const conversation = await bench.play([said, done]);
      const back = { [`sends ${mark} back`]: conversation.sent.includes(mark) };
      return failing({ ...answeredWith(conversation, "Done."), ...back });
    },
  },
  {
    name: "a tool that the provider ran",
    not: { "openai chat": NO_OWN_TOOLS, mistral: NO_OWN_TOOLS, "openai-compatible": NO_OWN_TOOLS },
    async misses(bench) {
      const mark = bench.vendor === "anthropic" ? "srvtoolu_1" : bench.vendor === "google" ? "6 * 7" : "ws_1";
      const conversation = await bench.play([{ searched: true, text: "Found.", calls: [call("one")] }, done]);
      const back = { [`sends ${mark} back`]: conversation.sent.includes(mark) };
      return failing({ ...answeredWith(conversation, "Done."), ...noted(conversation, "one"), ...back });
    },
  },
  {
    name: "a result with an image",
    async misses(bench) {
      const conversation = await bench.play([{ calls: [call("x", "look")] }, done]);
      const form = imageIn(conversation.requests.at(-1));
      const asImage = { "gets the image in its own form, not as text": form === "image" };
      return failing({ ...answeredWith(conversation, "Done."), ...asImage });
    },
  },
  {
    name: "a turn that the provider pauses",
    not: Object.fromEntries(
      VENDOR_NAMES.filter((name) => name !== "anthropic").map((name) => [name, "has no word for a pause"]),
    ),
    async misses(bench) {
      const conversation = await bench.play([{ searched: true, text: "Searching.", paused: true }, done]);
      const { requests, sent } = conversation;
      const continued = {
        "is asked again with what it said": requests.length === 2 && sent.includes("srvtoolu_1"),
      };
      return failing({ ...answeredWith(conversation, "Done."), ...continued });
    },
  },
  {
    name: "an error with an image",
    async misses(bench) {
      const conversation = await bench.play([{ calls: [call("x", "fail")] }, done]);
      const { vendor } = bench;
      const told = vendor === "anthropic" ? '"is_error":true' : "broken page";
      const back = { [`sends ${told}`]: conversation.sent.includes(told) };
      return failing({ ...answeredWith(conversation, "Done."), ...back });
    },
  },
  {
    name: "a change to each other vendor",
    async misses(bench) {
      const said = { reasoning: "Let me see.", searched: true, text: "I note.", calls: [call("one")] };
      const { messages } = (await bench.play([said, done])).outcome;
      const misses: string[] = [];
      for (const vendor of VENDOR_NAMES) {
        const conversation = await bench.with(vendor).play([{ text: "Yes." }], { messages });
        misses.push(...failing(answeredWith(conversation, "Yes.")).map((miss) => `${vendor}: ${miss}`));
      }
      return misses;
    },
  },
  {
    name: "interrupted in mid-text, then continued",
    async misses(bench) {
      const { outcome } = await bench.play([{ reasoning: "Let me see.", text: HARD.repeat(20) }], {
        onEvent: (event, abort) => event.type === "text" && abort(),
      });
      const { messages } = outcome;
      const conversation = await bench.play([{ text: "Yes." }], { messages });
      const aborted = { "is aborted": outcome.status === "aborted" };
      return failing({ ...aborted, ...answeredWith(conversation, "Yes."), ...retriedFor(conversation) });
    },
  },
];
