/**
 * The token this tab uses, where the server wants one. It comes from the form or from the address (`#token=…`, which
 * browsers do not send), lives as long as the tab, and is nowhere in a link that is copied.
 */
const KEY = "toolrig.token";

export function currentToken(): string | undefined {
  return sessionStorage.getItem(KEY) ?? undefined;
}

export function keepToken(token: string): void {
  sessionStorage.setItem(KEY, token);
}

/** Takes the token out of the address before anything else looks at it. */
export function takeTokenFromAddress(): void {
  const token = new URLSearchParams(location.hash.slice(1)).get("token");
  if (token === null) return;
  keepToken(token);
  history.replaceState(history.state, "", location.pathname + location.search);
}
