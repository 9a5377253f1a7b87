/** The id of a heading, as the repository's site makes it: links with it hold there and on the website. */
export function headingId(title: string): string {
  return title
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .replaceAll(" ", "-");
}
