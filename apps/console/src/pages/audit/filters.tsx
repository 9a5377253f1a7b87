import { computed } from "@preact/signals";
import { useRef, useState } from "preact/hooks";
import { apiUrl, authorization, type Query } from "../../api/client.ts";
import { useKeys } from "../../keyboard/keys.ts";
import { param, query, setParams } from "../../location/location.ts";

const FIELDS = ["text", "tool", "kind", "run", "execution", "path", "since", "until"] as const;
const KINDS = [
  "ok",
  "error",
  "validation",
  "not_found",
  "denied",
  "unavailable",
  "transient",
  "timeout",
  "cancelled",
  "unknown",
  "budget",
  "fatal",
];

const text = param("text");
const tool = param("tool");
const kind = param("kind");
const run = param("run");
const since = param("since");
const until = param("until");

/** What of the address is a condition on records. Days are whole, in the reader's zone. */
export const recordQuery = computed<Query>(() => {
  const fields: Query = {};
  for (const name of FIELDS) {
    const value = query.value.get(name) ?? "";
    if (value === "") continue;
    if (name === "since") fields[name] = dayStart(value);
    else if (name === "until") fields[name] = dayStart(value, 1);
    else fields[name] = value;
  }
  return fields;
});

export function useIsFiltered(): boolean {
  return Object.keys(recordQuery.value).length > 0;
}

/** Which records. All of it is in the address, and the export is of what is shown. */
export function AuditFilters() {
  const search = useRef<HTMLInputElement>(null);
  useKeys("Search", { "/": { label: "Search", run: () => search.current?.focus() } });
  return (
    <div class="filters">
      <input
        ref={search}
        type="search"
        aria-label="Words in arguments, content or failure"
        placeholder="Search records  /"
        value={text.value}
        onInput={({ currentTarget }) => setParams({ text: currentTarget.value })}
        onKeyDown={(event) => event.key === "Escape" && search.current?.blur()}
      />
      <input
        aria-label="Tool"
        placeholder="Tool"
        value={tool.value}
        onInput={({ currentTarget }) => setParams({ tool: currentTarget.value })}
      />
      <select
        aria-label="Outcome"
        value={kind.value}
        onChange={({ currentTarget }) => setParams({ kind: currentTarget.value })}
      >
        <option value="">Any outcome</option>
        {KINDS.map((each) => (
          <option key={each} value={each}>
            {each}
          </option>
        ))}
      </select>
      <input
        aria-label="Run"
        placeholder="Run"
        value={run.value}
        onInput={({ currentTarget }) => setParams({ run: currentTarget.value })}
      />
      <DayField label="From" field="since" value={since.value} />
      <DayField label="Until" field="until" value={until.value} />
      {useIsFiltered() && (
        <button
          type="button"
          class="plain"
          onClick={() => setParams(Object.fromEntries(FIELDS.map((name) => [name, ""])))}
        >
          Clear
        </button>
      )}
      <span class="spacer" />
      <span class="exports">
        <Export format="ndjson" />
        <Export format="csv" />
      </span>
    </div>
  );
}

function DayField({ label, field, value }: { label: string; field: "since" | "until"; value: string }) {
  return (
    <label class="day">
      <span class="quiet">{label}</span>
      <input
        type="date"
        value={value}
        onInput={({ currentTarget }) => setParams({ [field]: currentTarget.value })}
      />
    </label>
  );
}

/** A link where the browser may fetch it by itself; where a token is needed, it is fetched here. */
function Export({ format }: { format: "ndjson" | "csv" }) {
  const [busy, setBusy] = useState(false);
  const href = apiUrl("/records/export", { ...recordQuery.value, format });
  const headers = authorization();
  const fetchFile = async () => {
    setBusy(true);
    try {
      const response = await fetch(href, { headers, credentials: "omit" });
      if (!response.ok) return;
      const link = document.createElement("a");
      link.href = URL.createObjectURL(await response.blob());
      link.download = `records.${format}`;
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
    } finally {
      setBusy(false);
    }
  };
  if (headers.authorization === undefined)
    return (
      <a class="button" href={href} download={`records.${format}`}>
        Export {format.toUpperCase()}
      </a>
    );
  return (
    <button type="button" disabled={busy} onClick={() => void fetchFile()}>
      Export {format.toUpperCase()}
    </button>
  );
}

function dayStart(day: string, later = 0): number | undefined {
  const [year = 0, month = 1, date = 1] = day.split("-").map(Number);
  const at = new Date(year, month - 1, date + later).getTime();
  return Number.isFinite(at) ? at : undefined;
}
