import { pieces, type Said, sse, type WireFormat } from "./format.ts";

const usageMetadata = { promptTokenCount: 11, candidatesTokenCount: 7, totalTokenCount: 18 };

const candidate = (parts: readonly object[], finishReason?: string) => ({
  candidates: [
    { content: { role: "model", parts }, ...(finishReason !== undefined && { finishReason }), index: 0 },
  ],
  usageMetadata,
});

const callParts = ({ calls = [] }: Said) =>
  calls.map(({ name, arguments: args }) => ({
    functionCall: { name, args: JSON.parse(args) },
    thoughtSignature: "signed",
  }));

export const google: WireFormat = {
  serves: (path) => path.includes("GenerateContent") || path.includes(":generateContent"),
  streams: (path) => path.includes("streamGenerateContent"),

  whole(said) {
    const parts = [...(said.text === undefined ? [] : [{ text: said.text }]), ...callParts(said)];
    return candidate(parts, said.cut ? "MAX_TOKENS" : "STOP");
  },

  frames(said) {
    const frames = pieces(said.text ?? "").map((text) => sse(candidate([{ text }])));
    if (said.calls !== undefined) frames.push(sse(candidate(callParts(said))));
    if (said.error !== undefined)
      return [...frames, sse({ error: { ...said.error, status: said.error.type, code: 503 } })];
    return said.breaksOff ? frames : [...frames, sse(candidate([], said.cut ? "MAX_TOKENS" : "STOP"))];
  },
};
