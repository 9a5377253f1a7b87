/** "1,204,331": thousands with a comma, whatever the machine's language, as the rest of the page is English. */
export function count(value: number): string {
  return value.toLocaleString("en-US");
}

/** "3 calls", "1 call". */
export function plural(value: number, one: string, many = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : many}`;
}

/** "812 B", "4.2 kB", "5.0 MB". */
export function bytes(value: number): string {
  if (value < 1_000) return `${value} B`;
  if (value < 1_000_000) return `${(value / 1_000).toFixed(1)} kB`;
  return `${(value / 1_000_000).toFixed(1)} MB`;
}

/** "4 %", "<1 %", "0 %". */
export function share(part: number, whole: number): string {
  if (whole === 0 || part === 0) return "0 %";
  const percent = (100 * part) / whole;
  return percent < 1 ? "<1 %" : `${Math.round(percent)} %`;
}
