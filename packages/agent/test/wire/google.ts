import { type Body, GARBLED, isBroken, isWhole, pieces, type Said, sse, type WireFormat } from "./format.ts";

const usageMetadata = { promptTokenCount: 11, candidatesTokenCount: 7, totalTokenCount: 18 };

const candidate = (parts: readonly object[], finishReason?: string) => ({
  candidates: [
    { content: { role: "model", parts }, ...(finishReason !== undefined && { finishReason }), index: 0 },
  ],
  usageMetadata,
});

const callParts = ({ calls = [] }: Said) =>
  calls.map(({ name, arguments: args }) => ({
    functionCall: isWhole(args)
      ? { name, args: JSON.parse(args) }
      : {
          name,
          partialArgs: [{ jsonPath: "$.text", stringValue: args, willContinue: true }],
          willContinue: true,
        },
    thoughtSignature: "signed",
  }));

const ran = [
  { executableCode: { language: "PYTHON", code: "print(6 * 7)" } },
  { codeExecutionResult: { outcome: "OUTCOME_OK", output: "42" } },
];

const finishOf = ({ cut, filtered }: Said) => (cut ? "MAX_TOKENS" : filtered ? "SAFETY" : "STOP");
const functions = (content: Body, kind: string): string[] =>
  content?.parts.filter((part: Body) => kind in part).map((part: Body) => part[kind].name) ?? [];

export const google: WireFormat = {
  serves: (path) => path.includes("GenerateContent") || path.includes(":generateContent"),
  streams: (path) => path.includes("streamGenerateContent"),

  refuses({ contents }) {
    for (const [index, content] of contents.entries()) {
      if (content.parts.length === 0) return "contents.parts must not be empty";
      const asked = functions(content, "functionCall");
      if (
        content.role === "model" &&
        asked.join() !== functions(contents[index + 1], "functionResponse").join()
      )
        return "the number of function response parts must equal the number of function call parts";
    }
    return undefined;
  },

  whole(said) {
    const parts = [...(said.text === undefined ? [] : [{ text: said.text }]), ...callParts(said)];
    return candidate(parts, finishOf(said));
  },

  frames(said) {
    const frames = pieces(said.reasoning ?? "").map((text) => sse(candidate([{ text, thought: true }])));
    if (said.searched) frames.push(...ran.map((part) => sse(candidate([part]))));
    for (const text of pieces(said.text ?? "")) frames.push(sse(candidate([{ text }])));
    if (said.calls !== undefined) frames.push(sse(candidate(callParts(said))));
    if (said.error !== undefined)
      return [...frames, sse({ error: { ...said.error, status: said.error.type, code: 503 } })];
    if (said.garbled) return [...frames, GARBLED];
    return isBroken(said) ? frames : [...frames, sse(candidate([], finishOf(said)))];
  },
};
