import type { AuditVerdict } from "@toolrig/server/wire";
import { useResource } from "../../api/use-resource.ts";
import { Glyph } from "../../components/glyph.tsx";
import { ProblemNote } from "../../components/problem.tsx";
import { Ago } from "../../components/time.tsx";
import { count, plural } from "../../format/numbers.ts";
import { duration, exactly } from "../../format/time.ts";
import { visible } from "../../format/visible.ts";

/** One line that says whether the chain of records holds, and what is wrong with it where it does not. */
export function Verdict() {
  const { data, error, loading, reload } = useResource<AuditVerdict>("/records/verify");
  if (error !== undefined) return <ProblemNote error={error} />;
  return (
    <div class={data?.intact === false ? "verdict broken" : "verdict"} role="status" aria-busy={loading}>
      {data === undefined ? (
        <span class="quiet">The chain is being verified.</span>
      ) : (
        <>
          <Glyph state={data.intact ? "ok" : "unknown"} label={data.intact ? "intact" : "broken"} />
          <span>
            <Sentence verdict={data} />{" "}
            <span class="quiet">
              Verified <Ago at={data.checkedAt} /> in {duration(data.tookMs)}
              {data.keyed ? ", with the key" : ", without a key: who can write the file can forge it"}.
            </span>
          </span>
        </>
      )}
      <button type="button" onClick={reload} disabled={loading}>
        {loading ? "Verifying" : "Verify again"}
      </button>
      {data !== undefined && data.problems.length > 0 && (
        <ul>
          {data.problems.slice(0, 20).map(({ seq, message }, index) => (
            <li key={index}>
              {seq !== undefined && <strong>Record {count(seq)}: </strong>}
              {visible(message)}
            </li>
          ))}
          {data.problems.length > 20 && <li>and {count(data.problems.length - 20)} more.</li>}
        </ul>
      )}
    </div>
  );
}

function Sentence({ verdict: { records, intact, first, last } }: { verdict: AuditVerdict }) {
  if (records === 0) return <>No records yet.</>;
  const from = first === undefined ? "" : ` from ${exactly(first.at)}`;
  const to = last === undefined ? "" : ` to ${exactly(last.at)}`;
  return (
    <>
      <strong>{plural(records, "record")}</strong>,{" "}
      {intact ? `chain intact${from}${to}` : "the chain does not hold"}
      {last !== undefined && (
        <>
          , head <code title={last.hash}>{last.hash.slice(0, 8)}</code>
        </>
      )}
      .
    </>
  );
}
