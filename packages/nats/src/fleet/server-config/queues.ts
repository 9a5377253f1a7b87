import { check } from "@toolrig/core/kit";
import { consumerName, PRIORITIES, SUBJECT, token } from "../../wire/names.ts";
import type { ServerPlan } from "./plan.ts";

interface QueueName {
  name: string;
  consumer: string;
  /** Of its calls, as callers publish them. */
  subject: string;
  imported: boolean;
}

/** The queues of a tool: of any version and of its major version, in each lane, of the operator and of callers. */
export function queuesOf({ priorities = false }: ServerPlan, tool: string): QueueName[] {
  const [name = "", version] = tool.split("@");
  const majors = version === undefined ? [undefined] : [undefined, Number(version)];
  if (name === "" || majors.some((major) => major !== undefined && !Number.isSafeInteger(major)))
    throw check.invalid("A tool", 'its name, or its name and a major version, such as "search_docs@2"', tool);
  const lanes = priorities ? PRIORITIES : (["normal"] as const);
  return majors.flatMap((major) =>
    lanes.flatMap((lane) =>
      [false, true].map((imported) => ({
        name,
        consumer: consumerName(name, major, "", lane, imported),
        subject: `${SUBJECT.execute}.${token(name)}${major === undefined ? "" : `.v${major}`}${lane === "normal" ? "" : `.${lane}`}`,
        imported,
      })),
    ),
  );
}

/** The name of a tool of the plan, without its major version. */
export const nameOf = (tool: string) => tool.split("@")[0] ?? tool;
