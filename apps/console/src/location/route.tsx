import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { path } from "./location.ts";

/** What a page is given: what stood in its pattern's places. */
export interface PageProps {
  params: Record<string, string>;
}

export interface Route {
  /** `/runs/:id`: a segment that begins with a colon is a parameter. */
  pattern: string;
  load: () => Promise<ComponentType<PageProps>>;
}

/** The first route that fits the path, and what stands in its places. */
function matchRoute(
  routes: readonly Route[],
  pathname: string,
): { route: Route; params: Record<string, string> } | undefined {
  for (const route of routes) {
    const params = match(route.pattern, pathname);
    if (params !== undefined) return { route, params };
  }
  return undefined;
}

/** Shows the page of the address. The page before stays until the code of the next is there. */
export function Outlet({
  routes,
  otherwise: Otherwise,
}: {
  routes: readonly Route[];
  otherwise: ComponentType;
}) {
  const found = matchRoute(routes, path.value);
  const [shown, setShown] = useState<{ pattern: string; Page: ComponentType<PageProps> }>();
  const [failed, setFailed] = useState(false);
  const route = found?.route;
  useEffect(() => {
    let current = true;
    route?.load().then(
      (Page) => current && setShown({ pattern: route.pattern, Page }),
      () => current && setFailed(true),
    );
    return () => {
      current = false;
    };
  }, [route]);
  if (found === undefined) return <Otherwise />;
  // A server that was updated no longer has the files of the page before.
  if (failed) return <p class="empty">This page could not be loaded: reload the console.</p>;
  if (shown === undefined || shown.pattern !== found.route.pattern)
    return <div class="page" aria-busy="true" />;
  return <shown.Page key={found.route.pattern} params={found.params} />;
}

function match(pattern: string, pathname: string): Record<string, string> | undefined {
  const wanted = pattern.split("/");
  const given = pathname.replace(/(.)\/$/, "$1").split("/");
  if (wanted.length !== given.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, part] of wanted.entries()) {
    const value = given[index] ?? "";
    if (part.startsWith(":")) params[part.slice(1)] = decode(value);
    else if (part !== value) return undefined;
  }
  return params;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
