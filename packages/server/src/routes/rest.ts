import type { CallSource, Failure } from "@toolrig/core";
import { defined, policyVerdict } from "@toolrig/core/kit";
import { RequestProblem } from "../http/problem.ts";
import { json } from "../http/reply.ts";
import { type Route, route } from "../http/route.ts";
import { policyQuestion } from "../schemas/rest.ts";
import { ref } from "../schemas/shape.ts";
import { rulesLookedAt } from "../views/policy-rules.ts";
import type { PolicyAnswer, PolicyQuestion } from "../wire.ts";
import { ShownArtifacts } from "./artifact.ts";
import type { Context } from "./context.ts";

export function otherRoutes(context: Context): Route[] {
  const { rig } = context;
  const artifacts = new ShownArtifacts(rig.executor.artifacts, context.redactor);
  return [
    route({
      method: "GET",
      path: "/artifacts/{id}",
      id: "getArtifact",
      tag: "artifacts",
      summary: "What was kept of a result or a file, as bytes",
      description:
        "Always as a download that no browser shows or runs. One Range of bytes is honoured. Secrets are masked in text; text of more than 2 MiB is sent as it is, to the scope `admin` alone.",
      needs: "read",
      headers: { Range: "bytes=FROM-TO" },
      answers: {
        200: {
          description: "All of it",
          type: "application/octet-stream",
          schema: { type: "string", format: "binary" },
        },
        206: {
          description: "The range",
          type: "application/octet-stream",
          schema: { type: "string", format: "binary" },
        },
      },
      handle: (ask) =>
        artifacts.answer({
          id: ask.params.id ?? "",
          range: ask.header("range"),
          mayAll: ask.caller.scopes.includes("admin"),
          signal: ask.signal,
        }),
    }),
    route<{ body: PolicyQuestion }>({
      method: "POST",
      path: "/policy/explain",
      id: "explainPolicy",
      tag: "policy",
      summary: "What the policy says to a call, without running it",
      needs: "read",
      body: policyQuestion,
      answers: { 200: { description: "The verdict", schema: ref("PolicyAnswer") } },
      async handle({ body }) {
        if (rig.policy === undefined)
          throw new RequestProblem("NOT_CONFIGURED", "There is no policy: set policy in the config.");
        const { tool, args, principal, source, runLabels } = body;
        const question = {
          tool,
          ...defined({ args, principal }),
          ...(source !== undefined && { source: source as CallSource }),
          ...defined({ runLabels }),
        };
        const verdict = await policyVerdict(
          { tools: rig.tools, policy: rig.policy, allow: undefined },
          question,
        );
        return json(policyAnswer(context, verdict));
      },
    }),
  ];
}

type Verdict = Awaited<ReturnType<typeof policyVerdict>>;

function policyAnswer({ rig: { policy } }: Context, verdict: Verdict): PolicyAnswer {
  if (verdict.verdict === "refused") {
    const failed: Failure = verdict.failure;
    return {
      verdict: "refused",
      sentence: `The call does not get as far as the policy: ${failed.message}`,
      rules: [],
      failure: failed,
    };
  }
  const { by, reason } = verdict;
  const said = { allow: "It may run", deny: "It may not run", ask: "Somebody must approve it" }[
    verdict.verdict
  ];
  return {
    verdict: verdict.verdict,
    sentence: `${said}, by ${by}: ${reason}`,
    rule: by,
    rules: rulesLookedAt(policy ?? {}, by),
  };
}
