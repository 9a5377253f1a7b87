import type { Services } from "../services.ts";

/** The wait's own time in the world: it is over, and nobody has to look at it again. */
export async function putAway({ waits }: Services, id: string): Promise<void> {
  await waits.revise(id, ({ nextAt, ...wait }) => (nextAt === undefined ? undefined : wait));
}
