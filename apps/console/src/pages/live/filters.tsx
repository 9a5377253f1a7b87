import type { CallLine } from "@toolrig/server/wire";
import { useRef } from "preact/hooks";
import { Glyph } from "../../components/glyph.tsx";
import { shortId } from "../../format/short-id.ts";
import { visible } from "../../format/visible.ts";
import { BLAMES, CALL_STATES, STATE_WORDS } from "../../format/words.ts";
import { useKeys } from "../../keyboard/keys.ts";
import { setParams } from "../../location/location.ts";
import { type Filter, isFiltered, toggled } from "./filter.ts";

const NONE = { tool: undefined, state: undefined, blame: undefined, run: undefined, q: undefined };

/** Which calls are shown. All of it is in the address. */
export function Filters({ filter, lines }: { filter: Filter; lines: readonly CallLine[] }) {
  const search = useRef<HTMLInputElement>(null);
  useKeys("Search", { "/": { label: "Search", run: () => search.current?.focus() } });
  const tools = [...new Set([...lines.map((line) => line.name), ...(filter.tool?.split(",") ?? [])])].sort();
  return (
    <div class="filters">
      <input
        ref={search}
        type="search"
        aria-label="Search calls"
        placeholder="Search calls  /"
        value={filter.q ?? ""}
        onInput={({ currentTarget }) => setParams({ q: currentTarget.value })}
        onKeyDown={(event) => event.key === "Escape" && search.current?.blur()}
      />
      <select
        aria-label="Tool"
        value={filter.tool ?? ""}
        onChange={({ currentTarget }) => setParams({ tool: currentTarget.value })}
      >
        <option value="">All tools</option>
        {tools.map((tool) => (
          <option key={tool} value={tool}>
            {visible(tool).slice(0, 60)}
          </option>
        ))}
      </select>
      <fieldset class="toggles" aria-label="State">
        {CALL_STATES.map((state) => (
          <Toggle key={state} field="state" value={state} list={filter.state}>
            <Glyph state={state} label="" /> {state === "unknown" ? "unknown" : STATE_WORDS[state]}
          </Toggle>
        ))}
      </fieldset>
      <fieldset class="toggles" aria-label="Whose fault">
        {BLAMES.map((blame) => (
          <Toggle key={blame} field="blame" value={blame} list={filter.blame}>
            <span class={`blame blame-${blame}`}>
              <i class="dot" />
            </span>
            {blame}
          </Toggle>
        ))}
      </fieldset>
      {filter.run !== undefined && (
        <button type="button" class="plain" onClick={() => setParams({ run: undefined })}>
          run {visible(shortId(filter.run))} ✕
        </button>
      )}
      {isFiltered(filter) && (
        <button type="button" class="plain" onClick={() => setParams(NONE)}>
          Clear
        </button>
      )}
    </div>
  );
}

function Toggle({
  field,
  value,
  list,
  children,
}: {
  field: "state" | "blame";
  value: string;
  list: string | undefined;
  children: preact.ComponentChildren;
}) {
  const on = list?.split(",").includes(value) ?? false;
  return (
    <button
      type="button"
      class="toggle"
      aria-pressed={on}
      onClick={() => setParams({ [field]: toggled(list, value) })}
    >
      {children}
    </button>
  );
}
