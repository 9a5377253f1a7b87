import { computed, type ReadonlySignal, signal } from "@preact/signals";

/**
 * Where the reader is: all of a page's state is in the address, so that it can be sent to a colleague and Back works.
 * Navigating to another page adds an entry to the history; typing into a filter replaces the one that is there.
 */
const address = signal(new URL(location.href));

export const path = computed(() => address.value.pathname);
export const query = computed(() => address.value.searchParams);

/** One field of the query; "" where it is absent. */
export function param(name: string): ReadonlySignal<string> {
  return computed(() => query.value.get(name) ?? "");
}

export function navigate(href: string, options: { replace?: boolean } = {}): void {
  const to = new URL(href, location.href);
  if (to.href === location.href) return;
  if (options.replace) history.replaceState(null, "", to);
  else history.pushState(null, "", to);
  address.value = to;
}

/** The address with fields of the query changed; undefined and "" take a field out. */
export function withParams(changes: Record<string, string | undefined>, pathname = path.value): string {
  const fields = new URLSearchParams(query.value);
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined || value === "") fields.delete(name);
    else fields.set(name, value);
  }
  const text = fields.toString();
  return text === "" ? pathname : `${pathname}?${text}`;
}

/** Changes fields of the query in place. */
export function setParams(
  changes: Record<string, string | undefined>,
  options: { push?: boolean } = {},
): void {
  navigate(withParams(changes), { replace: options.push !== true });
}

/** Turns clicks on links of the console into navigation. Clicks for a new tab or a download are the browser's. */
export function followLinks(): void {
  addEventListener("popstate", () => {
    address.value = new URL(location.href);
  });
  document.addEventListener("click", (event) => {
    if (event.defaultPrevented || event.button !== 0) return;
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    const link = event.target instanceof Element ? event.target.closest("a") : null;
    if (link === null || link.target !== "" || link.hasAttribute("download")) return;
    if (link.origin !== location.origin || link.pathname.startsWith("/api/")) return;
    if (link.hash !== "" && link.pathname === location.pathname && link.search === location.search) return;
    event.preventDefault();
    navigate(link.href);
  });
}
