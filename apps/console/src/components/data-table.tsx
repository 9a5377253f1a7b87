import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { count } from "../format/numbers.ts";
import { useKeys } from "../keyboard/keys.ts";
import { navigate } from "../location/location.ts";

export interface Column<Row> {
  label: string;
  cell: (row: Row) => ComponentChildren;
  align?: "right";
  /** A CSS width; columns without one share what is left. */
  width?: string;
  /** Left out where there is little room, so that the others keep theirs. */
  wide?: boolean;
  /** One of the three facts that are shown at phone width, where rows are cards; "title" is the card's first line. */
  fact?: boolean | "title";
}

const AT_ONCE = 200;

/**
 * A table whose rows open something: by a click, or by j, k and enter. At phone width each row is a card with its three
 * facts. Of many rows the first 200 are shown, and the rest on demand.
 */
export function DataTable<Row>({
  columns,
  rows,
  keyOf,
  hrefOf,
  label,
  stale = "",
}: {
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  keyOf: (row: Row) => string;
  /** Where a row leads; the cell of the first column becomes the link. */
  hrefOf?: (row: Row) => string;
  label: string;
  stale?: string;
}) {
  const [most, setMost] = useState(AT_ONCE);
  const [at, setAt] = useState(-1);
  const body = useRef<HTMLTableSectionElement>(null);
  const shown = rows.slice(0, most);
  const move = (by: number) => setAt((old) => Math.max(0, Math.min(shown.length - 1, old + by)));
  const open = () => {
    const row = rows[at];
    if (row !== undefined && hrefOf !== undefined) navigate(hrefOf(row));
  };
  useKeys(
    label,
    {
      j: { label: "Next", run: () => move(1) },
      k: { label: "Previous", run: () => move(-1) },
      enter: { label: "Open", run: open },
    },
    hrefOf !== undefined,
  );
  useEffect(() => {
    body.current?.children[at]?.scrollIntoView({ block: "nearest" });
  }, [at]);
  return (
    <div class={`table-frame ${stale}`}>
      <table class="table" aria-label={label}>
        <thead>
          <tr>
            {columns.map((column) => (
              <th
                key={column.label}
                scope="col"
                class={classOf({ ...column, fact: false })}
                style={column.width ? { width: column.width } : {}}
              >
                {column.label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody ref={body}>
          {shown.map((row, index) => (
            <tr
              key={keyOf(row)}
              class={`${index === at ? "selected" : ""} ${hrefOf === undefined ? "" : "opens"}`}
              onClick={(event) => {
                if (hrefOf === undefined || (event.target as Element).closest("a, button, input")) return;
                setAt(index);
                navigate(hrefOf(row));
              }}
            >
              {columns.map((column, place) => (
                <td key={column.label} class={classOf(column)} data-label={column.label}>
                  {place === 0 && hrefOf !== undefined ? (
                    <a href={hrefOf(row)}>{column.cell(row)}</a>
                  ) : (
                    column.cell(row)
                  )}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {rows.length > most && (
        <button type="button" class="plain" onClick={() => setMost(most + AT_ONCE)}>
          Show more: {count(most)} of {count(rows.length)} are shown
        </button>
      )}
    </div>
  );
}

function classOf({ align, wide, fact }: Pick<Column<never>, "align" | "wide" | "fact">): string {
  const classes = [align, wide && "wide", fact && "fact", fact === "title" && "fact-title"];
  return classes.filter(Boolean).join(" ");
}
