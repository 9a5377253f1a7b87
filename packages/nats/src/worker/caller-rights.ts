import type { CallSource, Principal } from "@toolrig/core";
import { check, defined, settingsOf } from "@toolrig/core/kit";
import type { CallMessage } from "../wire/messages.ts";

/** What the calls of an account count as. `"said"` takes a caller's word for it, as that of a gateway for many people. */
export interface CallerRights {
  /** On whose behalf they are made. Default: the account's, `{ id: ACCOUNT }`. */
  principal?: Principal | "said";
  /** Where they come from. Default "remote". */
  source?: CallSource | "said";
}

const SETTINGS = settingsOf<CallerRights>({ principal: true, source: true });
const SOURCES: readonly (CallSource | "said")[] = [
  "said",
  ...(["model", "extracted", "script", "tool", "mcp", "http", "cli", "remote"] as const),
];

/**
 * A call with the principal and source that its account may claim. One that came from within the fleet's own account says
 * itself what they are.
 */
export function withRights(
  call: CallMessage,
  rights: Readonly<Record<string, CallerRights>> | undefined,
): CallMessage {
  const { account, options } = call;
  if (account === undefined) return call;
  const { principal: said, source: from, ...rest } = options;
  const { source = "remote" } = rightsOf(account, rights);
  const asWhom = principalOf(account, said, rights);
  const origin = source === "said" ? from : source;
  return {
    ...call,
    options: {
      ...rest,
      ...defined({ principal: asWhom, source: origin }),
    },
  };
}

/** Whom an account acts for, who may say so itself. */
export function principalOf(
  account: string,
  said: Principal | undefined,
  rights: Readonly<Record<string, CallerRights>> | undefined,
): Principal | undefined {
  const { principal = { id: account } } = rightsOf(account, rights);
  return principal === "said" ? said : principal;
}

function rightsOf(account: string, rights: Readonly<Record<string, CallerRights>> | undefined): CallerRights {
  return (rights !== undefined && Object.hasOwn(rights, account) ? rights[account] : undefined) ?? {};
}

/** Throws `OPTION_INVALID`, naming the option. */
export function checkRights(callers: unknown): void {
  check.object("callers", callers, "what the calls of accounts count as, by account");
  for (const [account, rights] of Object.entries(callers as Record<string, CallerRights>)) {
    const path = `callers.${account}`;
    check.object(path, rights);
    check.known(path, rights, SETTINGS);
    check.oneOf(`${path}.source`, rights.source, SOURCES);
    if (rights.principal !== undefined && rights.principal !== "said")
      check.string(`${path}.principal.id`, rights.principal?.id);
  }
}
