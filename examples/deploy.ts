/**
 * A run that waits for a deployment, until a webhook ends it.
 *
 *     npm run example deploy
 *
 * The pipeline has the address and the token of the call and nothing else; here `fetch` plays it. The model is scripted; a real
 * one is `engine: aiSdkEngine(openai("gpt-5"))`. You see that the token is all that it takes, and counts once:
 *
 *     run       waiting: the pipeline deploys docs
 *     stranger  401 TOKEN_INVALID
 *     pipeline  200 ok
 *     run       answered: The site is live at https://docs.example.com.
 *     again     409 COMPLETION_REFUSED
 */
import { deferred, rig, scriptedEngine, tool } from "toolrig";
import { z } from "zod";

/** What the pipeline is told, as a service would be in the body of a request. */
interface Job {
  site: string;
  callback: string;
  token: string;
}
const jobs: Job[] = [];

const deploy = tool({
  name: "deploy",
  description: "Deploy a site",
  input: z.object({ site: z.string() }),
  output: z.object({ url: z.url() }),
  safety: { sideEffects: "external" },
  execute({ site }, { executionId, token }) {
    jobs.push({ site, callback: `${served.url}/api/v1/calls/${executionId}/result`, token });
    return deferred({ note: `the pipeline deploys ${site}`, expires: "2h" });
  },
});

const engine = scriptedEngine([
  { calls: [{ name: "deploy", arguments: { site: "docs" } }] },
  "The site is live at https://docs.example.com.",
]);

// With a path as its store, the process may end meanwhile: any other that has it open goes on with the run.
const ops = rig({ tools: [deploy], engine, store: ":memory:" });
const served = await ops.serve({ port: 0, console: false });
const resumed = new Promise<string>((resolve) => {
  ops.resumeWhenReady({ onResume: async (run) => resolve((await run.outcome).text) });
});

const outcome = await ops.run("Deploy the docs.", { onWaiting: "suspend" }).outcome;
if (outcome.status === "waiting") console.log(`run       waiting: ${outcome.waits[0]?.waiting.note}`);

const [job] = jobs;
if (job === undefined) throw new Error("The pipeline was told of the deployment.");
const report = async (who: string, token: string) => {
  const answer = await fetch(job.callback, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
    body: JSON.stringify({ value: { url: `https://${job.site}.example.com` } }),
  });
  const { code = "ok" } = (await answer.json()) as { code?: string };
  console.log(who.padEnd(9), answer.status, code);
};
await report("stranger", "a-token-that-was-guessed");
await report("pipeline", job.token);
console.log(`run       answered: ${await resumed}`);
await report("again", job.token);

await served.close();
await ops.close();
