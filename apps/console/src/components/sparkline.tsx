/**
 * Numbers as a small line, labelled at its end. null is a gap. `top` makes several lines comparable; else the highest value
 * is the top.
 */
export function Sparkline({
  values,
  label,
  top,
  title,
  tone = "",
  width = 80,
}: {
  values: readonly (number | null)[];
  label?: string;
  top?: number;
  title: string;
  /** A blame's name, for its colour. */
  tone?: string;
  width?: number;
}) {
  // One value is a number, not a line.
  const isLine = values.filter((value) => value !== null).length > 1;
  const height = 20;
  const highest = Math.max(top ?? 0, ...values.map((value) => value ?? 0), Number.MIN_VALUE);
  const step = values.length > 1 ? (width - 2) / (values.length - 1) : 0;
  let pen = "M";
  const path: string[] = [];
  values.forEach((value, index) => {
    if (value === null) {
      pen = "M";
      return;
    }
    path.push(
      `${pen}${(1 + index * step).toFixed(1)} ${(height - 2 - (value / highest) * (height - 4)).toFixed(1)}`,
    );
    pen = "L";
    // A value between two gaps is a dot: a short stroke, which round ends make wide.
    if ((values[index - 1] ?? null) === null && (values[index + 1] ?? null) === null) path.push("h-2");
  });
  return (
    <span class={`sparkline ${tone === "" ? "" : `blame-${tone}`}`}>
      {isLine && (
        <svg width={width} height={height} role="img" aria-label={title}>
          <title>{title}</title>
          <path d={path.join("")} />
        </svg>
      )}
      {label !== undefined && <span class="number">{label}</span>}
    </span>
  );
}
