import type { Said } from "../../packages/agent/test/wire/format.ts";
import type { Bench } from "./conversation.ts";
import { answeredWith, call, cutCall, failing, noted, retriedFor, type Situation } from "./situation.ts";

const done = { text: "Done." };
const NO_THINKING = "does not show its thinking";

/** A response that is none: the model is asked again, and nothing of it is kept or run. */
function void_(name: string, said: () => Said, kind: string, not: Situation["not"] = {}): Situation {
  return {
    name,
    not,
    async misses(bench) {
      const conversation = await bench.play([said(), done]);
      return failing({
        ...answeredWith(conversation, "Done."),
        ...noted(conversation),
        ...retriedFor(conversation, kind),
        "keeps nothing of it": conversation.outcome.messages.length === 2,
      });
    },
  };
}

/** A response that ends the run: the conversation can go on from it. */
function last(
  name: string,
  said: () => Said,
  finish: string,
  text: string,
  not: Situation["not"] = {},
): Situation {
  return {
    name,
    not,
    async misses(bench: Bench) {
      const conversation = await bench.play([said()]);
      const { outcome } = conversation;
      const next = await bench.play([{ text: "Yes." }], { messages: outcome.messages });
      const reason = outcome.status === "answered" ? outcome.finishReason : outcome.status;
      return failing({
        ...answeredWith(conversation, text),
        ...retriedFor(conversation),
        [`ends for ${finish} and not for ${reason}`]: reason === finish,
        ...answeredWith(next, "Yes."),
      });
    },
  };
}

/** Responses that are cut off, empty or broken. */
export const BREAKING: readonly Situation[] = [
  last("length inside text", () => ({ reasoning: "Hm.", text: "It is", cut: true }), "length", "It is"),
  {
    name: "length inside arguments",
    async misses(bench) {
      const said = { reasoning: "Hm.", text: "I note.", calls: [cutCall("one two")], cut: true };
      const conversation = await bench.play([said, { calls: [call("one")] }, done]);
      const told = JSON.stringify(conversation.outcome.messages[2]).includes("Make the call again");
      const claims = { ...answeredWith(conversation, "Done."), ...noted(conversation, "one") };
      return failing({ ...claims, "tells the model to make the call again": told });
    },
  },
  {
    name: "length inside arguments, after thinking alone",
    async misses(bench) {
      const said = { reasoning: "Hm.", calls: [cutCall("one two")], cut: true };
      const conversation = await bench.play([said, { calls: [call("one")] }, done]);
      return failing({ ...answeredWith(conversation, "Done."), ...noted(conversation, "one") });
    },
  },
  last("length inside thinking", () => ({ reasoning: "I was think", cut: true }), "length", "", {
    "openai chat": NO_THINKING,
  }),
  last("filtered", () => ({ reasoning: "Hm.", text: "I", filtered: true }), "content-filter", "I", {
    mistral: "has no such reason",
  }),
  void_("an empty response", () => ({}), "empty"),
  void_("blank text", () => ({ text: "\n\n" }), "empty"),
  void_("thinking and nothing else", () => ({ reasoning: "Let me see." }), "empty"),
  void_("no reason after text", () => ({ text: "It is fourty-", breaksOff: true }), "incomplete"),
  void_("no reason after a whole call", () => ({ calls: [call("one")], breaksOff: true }), "incomplete"),
  void_("no reason inside a call", () => ({ calls: [cutCall("one")], breaksOff: true }), "incomplete"),
  void_("no reason after thinking", () => ({ reasoning: "Hm.", breaksOff: true }), "incomplete"),
  void_("no reason and nothing else", () => ({ breaksOff: true }), "incomplete"),
  void_("a connection reset inside a call", () => ({ calls: [call("one")], resets: true }), "network"),
  void_("a frame that cannot be read", () => ({ text: "It", garbled: true }), "incomplete"),
  {
    name: "an error in mid-stream",
    async misses(bench) {
      const error = { type: "overloaded_error", message: "Overloaded" };
      const conversation = await bench.play([{ text: "I was abo", error }, done]);
      const again = { "is asked again once": conversation.retries.length === 1 };
      return failing({ ...answeredWith(conversation, "Done."), ...again });
    },
  },
];
