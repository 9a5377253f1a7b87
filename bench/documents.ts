/** A document of about `length` characters of JSON, of the kind that models write as arguments. */
export function documentOf(length: number): { items: unknown[] } {
  const items: unknown[] = [];
  for (let written = 0; written < length; ) {
    const item = itemOf(items.length);
    items.push(item);
    written += JSON.stringify(item).length + 1;
  }
  return { items };
}

function itemOf(index: number) {
  return {
    id: index,
    title: `Entry ${index}\nof the list`,
    done: index % 3 === 0,
    owner: index % 5 === 0 ? null : `person ${index % 11}`,
    weight: index * 0.5,
    tags: ["first", "second", `t${index % 7}`],
    place: { file: `src/part/${index}.ts`, line: index % 400 },
  };
}

export const DOCUMENT_SCHEMA = {
  type: "object",
  properties: {
    items: {
      type: "array",
      items: {
        type: "object",
        properties: {
          id: { type: "integer" },
          title: { type: "string" },
          done: { type: "boolean" },
          owner: { type: ["string", "null"] },
          weight: { type: "number" },
          tags: { type: "array", items: { type: "string" } },
          place: { type: "object", properties: { file: { type: "string" }, line: { type: "integer" } } },
        },
      },
    },
  },
} as const;

const singleQuotes = (text: string) => text.replaceAll('"', "'");
const bareKeys = (text: string) => text.replace(/"([a-z]+)":/g, "$1:");
const trailingCommas = (text: string) => text.replace(/\n(\s*[\]}])/g, ",\n$1");
const pythonWords = (text: string) =>
  text.replaceAll(": true", ": True").replaceAll(": false", ": False").replaceAll(": null", ": None");

/** Ways in which models break JSON. Each takes a valid document, indented by one, and spoils it throughout. */
export const BREAKAGES: Readonly<Record<string, (text: string) => string>> = {
  "all at once": (text) => `\`\`\`json\n${trailingCommas(pythonWords(singleQuotes(bareKeys(text))))}\n\`\`\``,
  "single quotes": singleQuotes,
  "bare keys": bareKeys,
  "trailing commas": trailingCommas,
  "missing commas": (text) => text.replaceAll(",\n", "\n"),
  "Python words": pythonWords,
  comments: (text) => text.replaceAll(",\n", ", // next\n"),
  "raw line breaks": (text) => text.replaceAll("\\n", "\n"),
  "cut off": (text) => text.slice(0, Math.floor(text.length * 0.93)),
};

export function broken(breakage: string, length: number): { text: string; value: unknown } {
  const value = documentOf(length);
  return { text: BREAKAGES[breakage]!(JSON.stringify(value, null, 1)), value };
}
