import { useEffect, useState } from "preact/hooks";
import { shortId } from "../format/short-id.ts";
import { visible } from "../format/visible.ts";

/** Answers whether it was copied just now, and copies. */
function useCopy(text: string): [copied: boolean, copy: () => void] {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), 1_500);
    return () => clearTimeout(timer);
  }, [copied]);
  return [copied, () => void copyText(text).then(setCopied)];
}

/** An id in short, or as `shown`. A click copies the whole. */
export function ShortId({ id, shown = shortId(id) }: { id: string; shown?: string }) {
  const [copied, copy] = useCopy(id);
  return (
    <button type="button" class="short-id" title={`${visible(id)}: click to copy`} onClick={copy}>
      {copied ? "copied" : visible(shown)}
    </button>
  );
}

/** A command ready to copy. */
export function Command({ command, label }: { command: string; label?: string }) {
  const [copied, copy] = useCopy(command);
  return (
    <div class="command">
      {label !== undefined && <span class="quiet">{label}</span>}
      <code>{visible(command)}</code>
      <button type="button" class="plain" onClick={copy} aria-label={`Copy: ${visible(command)}`}>
        {copied ? "Copied" : "Copy"}
      </button>
    </div>
  );
}

/** What one would do in a terminal, a line each. */
export function Commands({ commands }: { commands: readonly { label: string; command: string }[] }) {
  if (commands.length === 0) return null;
  return (
    <section class="commands">
      <h3>In a terminal</h3>
      {commands.map(({ label, command }) => (
        <Command key={label} label={label} command={command} />
      ))}
    </section>
  );
}

export function CopyButton({ text, children }: { text: string; children: string }) {
  const [copied, copy] = useCopy(text);
  return (
    <button type="button" class="plain" onClick={copy}>
      {copied ? "Copied" : children}
    </button>
  );
}

/** Pages that are not served over HTTPS or from this machine have no clipboard; a selection does there. */
async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const field = document.createElement("textarea");
    field.value = text;
    document.body.append(field);
    field.select();
    const copied = document.execCommand("copy");
    field.remove();
    return copied;
  }
}
