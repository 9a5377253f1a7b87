import type { CallSource, Principal } from "@toolrig/core";
import {
  CALL_SOURCES,
  declareOptions,
  defined,
  type OptionTable,
  option,
  principalOption,
} from "@toolrig/core/kit";
import type { CallMessage } from "../wire/messages.ts";

/** What the calls of an account count as. `"said"` takes a caller's word for it, as that of a gateway for many people. */
export interface CallerRights {
  /** On whose behalf they are made. Default: the account's, `{ id: ACCOUNT }`. */
  principal?: Principal | "said";
  /** Where they come from. Default "remote". */
  source?: CallSource | "said";
  /**
   * Public NKeys, `U…`, one of which must have signed every call of this caller's. As soon as one caller has keys, a call that
   * nobody signed does not run.
   */
  keys?: readonly string[];
}

const anyPrincipal = principalOption();

export const callerRights = declareOptions("the rights of a caller", {
  principal: option.checked(`"said" or ${anyPrincipal.allowed}`, (field, value, checks) => {
    if (value !== "said") anyPrincipal.check(field, value, checks);
  }),
  source: option.oneOf(["said", ...CALL_SOURCES], { default: "remote" }),
  keys: option.strings("a list of public NKeys, U…"),
} satisfies OptionTable<CallerRights>);

/**
 * A call with the principal and source that its caller may claim. One that came from within the fleet's own account and that
 * nobody signed says itself what they are.
 */
export function withRights(
  call: CallMessage,
  rights: Readonly<Record<string, CallerRights>> | undefined,
): CallMessage {
  const { options } = call;
  const account = call.account ?? call.signedBy;
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
