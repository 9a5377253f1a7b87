import { useEffect } from "preact/hooks";
import { inboxCount } from "../api/feed.ts";
import { server } from "../api/server.ts";
import { Empty } from "../components/empty.tsx";
import { count } from "../format/numbers.ts";
import { shortId } from "../format/short-id.ts";
import { visible } from "../format/visible.ts";
import { useKeys } from "../keyboard/keys.ts";
import { helpIsOpen, KeysHelp } from "../keyboard/keys-help.tsx";
import { navigate, param, path, setParams } from "../location/location.ts";
import { Outlet } from "../location/route.tsx";
import { CallDrawer } from "../pages/call/call-drawer.tsx";
import { RefusedDecisions } from "../pages/inbox/refused-decisions.tsx";
import { PAGES, type PageEntry, ROUTES } from "../pages/pages.ts";
import { LostServer } from "./lost-server.tsx";
import { switchTheme, themeChoice } from "./theme.ts";

const openCall = param("call");

/** What stands around every page: navigation, the line about the server, the drawer of a call. */
export function Shell() {
  useKeys("Everywhere", {
    ...Object.fromEntries(
      PAGES.map((page) => [`g ${page.key}`, { label: page.title, run: () => navigate(page.href) }]),
    ),
    "?": {
      label: "All keys",
      run: () => {
        helpIsOpen.value = true;
      },
    },
  });
  const call = openCall.value;
  const inbox = inboxCount.value ?? 0;
  const title = titleOf(path.value, call);
  useEffect(() => {
    document.title = `${inbox > 0 ? `(${inbox}) ` : ""}${title} · Toolrig`;
  }, [title, inbox]);
  return (
    <div class="shell">
      <a class="skip" href="#main">
        Skip to the page
      </a>
      <Navigation />
      <div class="notices">
        <LostServer />
        <RefusedDecisions />
      </div>
      <main id="main" tabIndex={-1}>
        <Outlet routes={ROUTES} otherwise={NotFound} />
      </main>
      {call !== "" && (
        <CallDrawer key={call} id={call} onClose={() => setParams({ call: undefined }, { push: true })} />
      )}
      <KeysHelp />
    </div>
  );
}

/** What a tab and the history call a view: the page, and which of many it shows. */
function titleOf(at: string, call: string): string {
  if (call !== "") return `Call ${shortId(call)}`;
  const page = PAGES.findLast(({ href }) => at === href || (href !== "/" && at.startsWith(`${href}/`)));
  const id = at.startsWith("/calls/") ? `Call ${shortId(decoded(at.slice("/calls/".length)))}` : undefined;
  if (page === undefined) return id ?? "Not found";
  const rest = decoded(at.slice(page.href.length + 1));
  return page.href === "/" || rest === ""
    ? page.title
    : `${visible(rest.slice(-40))}, ${page.title.toLowerCase()}`;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function Navigation() {
  return (
    <nav class="navigation" aria-label="Pages">
      <a class="brand" href="/">
        Toolrig
      </a>
      <ul>
        {PAGES.map((page) => (
          <li key={page.href}>
            <NavigationLink page={page} />
          </li>
        ))}
      </ul>
      <footer>
        {server.value !== undefined && (
          <span
            class="clip"
            title={`You are ${visible(server.value.principal.id)}: ${server.value.scopes.join(", ")}`}
          >
            {visible(server.value.principal.id)} · {server.value.version}
          </span>
        )}
        <button type="button" class="plain" onClick={switchTheme} title="System, light or dark">
          {{ system: "Auto", light: "Light", dark: "Dark" }[themeChoice.value]}
        </button>
      </footer>
    </nav>
  );
}

function NavigationLink({ page }: { page: PageEntry }) {
  const first = (pathname: string) => pathname.split("/")[1] ?? "";
  const current =
    first(path.value) === first(page.href) || (page.href === "/" && first(path.value) === "calls");
  const waiting = page.href === "/inbox" ? inboxCount.value : 0;
  return (
    <a
      href={page.href}
      aria-current={current ? "page" : undefined}
      title={`${page.question} (g ${page.key})`}
    >
      <svg viewBox="0 0 16 16" aria-hidden="true">
        <path d={page.icon} />
      </svg>
      <span>{page.title}</span>
      {waiting > 0 && (
        <span class="inbox-count">
          {waiting > 999 ? "999+" : count(waiting)}
          <span class="hidden-label"> waiting</span>
        </span>
      )}
    </a>
  );
}

function NotFound() {
  return (
    <div class="page">
      <Empty title="There is no such page">
        The address may be cut off. <a href="/">See what is happening now</a>, or press <kbd>?</kbd> for all
        keys.
      </Empty>
    </div>
  );
}
