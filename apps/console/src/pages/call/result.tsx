import type { CallStory } from "@toolrig/server/wire";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { apiUrl, authorization } from "../../api/client.ts";
import { Code } from "../../components/code.tsx";
import { bytes } from "../../format/numbers.ts";
import { visible } from "../../format/visible.ts";

type Part = CallStory["content"][number];

/** Longer texts are shown as they are, not laid out. */
const LONGEST_LAID_OUT = 1_000_000;

/** What came back, part by part, with its size where it was cut. */
export function Result({ story }: { story: CallStory }) {
  const { content, cut } = story;
  if (content.length === 0 && cut === undefined) return null;
  return (
    <section>
      <h3>Result</h3>
      {content.map((part, index) => (
        <ResultPart key={index} part={part} />
      ))}
      {cut !== undefined && (
        <p class="quiet">
          The whole is {bytes(cut.bytes)}; the model was given what is above.{" "}
          {cut.artifact === undefined ? "It was not kept." : <Download artifact={cut.artifact} />}
        </p>
      )}
    </section>
  );
}

function ResultPart({ part }: { part: Part }) {
  switch (part.type) {
    case "text":
      return <TextResult text={part.text} />;
    case "resource":
      return <TextResult text={part.text ?? ""} label={visible(part.uri)} />;
    case "image":
      return <Picture data={part.data} mimeType={part.mimeType} />;
    case "audio":
      return (
        <p class="quiet">
          {visible(part.mimeType)}, {bytes(Math.floor(part.data.length * 0.75))}
        </p>
      );
  }
}

function TextResult({ text, label }: { text: string; label?: string }) {
  const laidOut = useMemo(() => layOut(text), [text]);
  return (
    <Code
      text={laidOut ?? text}
      language={laidOut === undefined ? "text" : "json"}
      label={label ?? (laidOut ? "JSON" : "Text")}
    />
  );
}

function layOut(text: string): string | undefined {
  if (text.length > LONGEST_LAID_OUT || !/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return undefined;
  }
}

/** Drawn rather than linked: the page's policy lets no picture in that is not the server's own. */
function Picture({ data, mimeType }: { data: string; mimeType: string }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [size, setSize] = useState("");
  useEffect(() => {
    const element = canvas.current;
    drawable(data, mimeType).then(
      (picture) => {
        if (element === null) return;
        element.width = picture.width;
        element.height = picture.height;
        element.getContext("2d")?.drawImage(picture, 0, 0);
        setSize(`${picture.width} × ${picture.height}`);
      },
      () => setSize("cannot be shown"),
    );
  }, [data, mimeType]);
  return (
    <figure class="picture">
      <canvas ref={canvas} role="img" aria-label={`A picture, ${visible(mimeType)}`} />
      <figcaption class="quiet">
        {visible(mimeType)} {size}
      </figcaption>
    </figure>
  );
}

async function drawable(data: string, mimeType: string): Promise<ImageBitmap> {
  const picture = Uint8Array.from(atob(data), (character) => character.charCodeAt(0));
  return createImageBitmap(new Blob([picture], { type: mimeType }));
}

function Download({ artifact }: { artifact: string }) {
  const [problem, setProblem] = useState("");
  const save = async () => {
    const response = await fetch(apiUrl(`/artifacts/${encodeURIComponent(artifact)}`), {
      headers: authorization(),
    });
    if (!response.ok) throw new Error(`the server answered ${response.status}`);
    const link = document.createElement("a");
    link.href = URL.createObjectURL(await response.blob());
    link.download = artifact;
    link.click();
    URL.revokeObjectURL(link.href);
  };
  return (
    <>
      <button type="button" onClick={() => void save().catch((error: unknown) => setProblem(String(error)))}>
        Save the whole
      </button>
      {problem !== "" && <span role="alert"> {problem}</span>}
    </>
  );
}
