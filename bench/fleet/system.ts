import { type ChildProcess, fork } from "node:child_process";
import { join } from "node:path";
import { startNats } from "../../scripts/start-nats.ts";
import type { Task, Turn } from "./calling.ts";
import { redisMissing, startRedis } from "./redis-server.ts";

/** Something that carries calls: a server, a worker and a caller, each a process of its own. Idle between turns. */
export interface System {
  turn(task: Task): Promise<Turn>;
  close(): Promise<void>;
}

export interface SystemOptions {
  /** Whose caller and worker. */
  kind: string;
  /** How often the server syncs its files, where it is not asked to do as it does by itself. */
  sync?: string;
}

/** Undefined when it cannot run here, which is said on stderr. */
export async function startSystem({ kind, sync }: SystemOptions): Promise<System | undefined> {
  const missing = kind === "bullmq" ? redisMissing() : undefined;
  if (missing !== undefined) {
    console.error(`BullMQ is left out: ${missing}.`);
    return undefined;
  }
  const server = kind === "bullmq" ? await startRedis() : await startNats(sync === undefined ? {} : { sync });
  const url = `${kind === "bullmq" ? "redis" : "nats"}://127.0.0.1:${server.port}`;
  const children: ChildProcess[] = [];
  const close = async () => {
    for (const child of children) child.kill("SIGKILL");
    await server.close();
  };
  try {
    for (const file of ["worker.ts", "calling.ts"]) {
      const child = fork(join(import.meta.dirname, file), [kind, url], { execArgv: [] });
      children.push(child);
      await answerOf(child, `The ${file} of ${kind}`);
    }
    const caller = children.at(-1)!;
    return {
      async turn(task) {
        const answer = answerOf(caller, `The caller of ${kind}`);
        caller.send(task);
        return (await answer) as Turn;
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The next that a process says. Rejects when it ends instead. */
function answerOf(child: ChildProcess, who: string): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const onExit = () => reject(new Error(`${who} ended.`));
    child.once("exit", onExit);
    child.once("message", (message) => {
      child.off("exit", onExit);
      resolve(message);
    });
  });
}
