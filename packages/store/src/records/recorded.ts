import { NOTICES } from "./notices.ts";
import { LATE } from "./query.ts";

/**
 * The condition that a row `l` of the ledger is on record: the record of a call that ran, unless this one did not either.
 * A call that was refused under the same execution id does not stand in for it. A body that is no JSON counts as one that ran: it is
 * named as damaged, not recorded again.
 */
export const IS_RECORDED = `EXISTS (
  SELECT 1 FROM records r WHERE r.execution_id = l.execution_id AND r.tool = l.name AND r.kind NOT IN ('${LATE}', ${NOTICES})
  AND coalesce(iif(json_valid(r.body), r.body ->> '$.result.attempts', 1), 0)
    >= min(1, coalesce(iif(json_valid(l.result), l.result ->> '$.attempts', 1), 1)))`;
