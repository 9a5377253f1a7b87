import type { AnyTool, DataLabels } from "@toolrig/core";
import type { ServedRig } from "../served-rig.ts";
import type { InboxItem } from "../wire.ts";

const MAX_RECORDS = 200;
const MAX_SOURCES = 20;

/** What a run had read, before a moment, that nobody vouches for or that must not leave: in order. */
export function taintOf(
  { store, tools }: Pick<ServedRig, "store" | "tools">,
  runId: string,
  before: number,
): NonNullable<InboxItem["taint"]> {
  if (store === undefined) return [];
  const { records } = store.records.query({ runId, order: "oldest", limit: MAX_RECORDS });
  return records
    .filter(({ endTime }) => endTime <= before)
    .flatMap(({ name, executionId, result }) => {
      // A call of a batch is recorded before guards have labelled its result: then what its tool declares is known.
      const labels = result.labels ?? (result.isError ? undefined : declaredBy(tools.get(name)));
      if (labels === undefined) return [];
      const words = [
        ...(labels.integrity === "untrusted" ? ["untrusted"] : []),
        ...(labels.confidentiality === "private" ? ["private"] : []),
      ];
      if (words.length === 0) return [];
      return [{ name, executionId, labels: labels.source === undefined ? words : [...words, labels.source] }];
    })
    .slice(-MAX_SOURCES);
}

/** A tool whose definition came from outside returns untrusted text. */
function declaredBy(tool: AnyTool | undefined): DataLabels | undefined {
  if (tool === undefined || tool.labels?.integrity !== undefined || tool.trusted) return tool?.labels;
  return { ...tool.labels, integrity: "untrusted" };
}
