import { NOTICES } from "./notices.ts";
import { LATE } from "./query.ts";

/**
 * The condition that a row `l` of the ledger is on record: the record of a call that ran, unless this one did not either.
 * A call that was refused under the same execution id does not stand in for it.
 */
export const IS_RECORDED = `EXISTS (
  SELECT 1 FROM records r WHERE r.execution_id = l.execution_id AND r.tool = l.name AND r.kind NOT IN ('${LATE}', ${NOTICES})
  AND coalesce(r.body ->> '$.result.attempts', 0) >= min(1, coalesce(l.result ->> '$.attempts', 1)))`;
