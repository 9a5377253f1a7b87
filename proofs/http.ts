/** Requests that must be refused are refused, each with its status, and nothing runs. */
import { type Attempt, attemptsOn } from "./http/attempts.ts";
import { openScene, type Scene } from "./http/scene.ts";
import type { Proof } from "./proof.ts";

export const proof: Proof = {
  name: "http",
  claim:
    "The server refuses what must not come in, each with its status, runs nothing of it and goes on serving",

  async run(_, print) {
    const scene = await openScene();
    let [passed, failed] = [0, 0];
    const tell = (miss: string | undefined, status: number | string, name: string) => {
      if (miss === undefined) passed += 1;
      else failed += 1;
      print(
        `${miss === undefined ? "held" : "MISS"}  ${status}  ${name}${miss === undefined ? "" : `: ${miss}`}`,
      );
    };
    try {
      for (const attempt of attemptsOn(scene))
        tell(await missOf(scene, attempt), attempt.status || "closed", attempt.name);
      tell(await stillServes(scene), 200, "afterwards a good request is served as before");
    } finally {
      await scene.close();
    }
    print(`${passed + failed} requests, ${failed} misses`);
    return { passed, failed };
  },
};

async function missOf(
  scene: Scene,
  { to, send, status, says, times = 1 }: Attempt,
): Promise<string | undefined> {
  let answer = "";
  scene.ran.length = 0;
  for (let sent = 0; sent < times; sent++) answer = await scene.send(to, send);
  const came = Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? 0);
  if (came !== status) return `answered with ${came || "nothing"}: ${answer.slice(-200)}`;
  if (says !== undefined && !answer.toLowerCase().includes(says.toLowerCase()))
    return `it does not say ${says}`;
  if (scene.ran.includes("pay")) return "something was paid";
  if (({} as { polluted?: boolean }).polluted === true) return "every object is polluted";
  const secret = Object.values(scene.tokens).find((token) => answer.includes(token));
  if (secret !== undefined) return "the answer has a token in it";
  if (/^set-cookie:/im.test(answer)) return "the answer sets a cookie";
  if (
    came >= 400 &&
    came !== 408 &&
    came !== 431 &&
    answer.includes("{") &&
    !answer.includes("application/problem+json") &&
    !answer.includes('"jsonrpc"')
  )
    return "the answer is no problem";
  return undefined;
}

async function stillServes({ ports, tokens, ran }: Scene): Promise<string | undefined> {
  const body = JSON.stringify({ name: "add" });
  const headers = { "content-type": "application/json", authorization: `Bearer ${tokens.narrow}` };
  const answer = await fetch(`http://127.0.0.1:${ports.tokens}/api/v1/calls`, {
    method: "POST",
    headers,
    body,
  });
  const { value } = (await answer.json()) as { value?: unknown };
  return value === "added" && ran.includes("add") ? undefined : `answered with ${answer.status}`;
}
