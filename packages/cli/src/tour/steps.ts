import type { Rig } from "../rig/rig.ts";

/** One stop of the tour: what is shown, and the calls that show it. */
export interface Step {
  title: string;
  lead: string;
  run(rig: Rig): Promise<unknown>;
}

export const steps: readonly Step[] = [
  {
    title: "Repaired",
    lead: "The model wrote a bare key, other quotes, a comma too many and a number as text. Each change is recorded.",
    run: (rig) =>
      rig.call({
        id: "call_1",
        name: "search_docs",
        arguments: `{query: 'deadlines and retries', "limit": "2",}`,
      }),
  },
  {
    title: "Retried",
    lead: "The service is overloaded. The tool is idempotent and the failure transient, so it is tried again.",
    run: (rig) => rig.call({ id: "call_2", name: "fetch_weather", arguments: `{"city": "Lisbon"}` }),
  },
  {
    title: "Denied",
    lead: "A guard protects the main branch. The tool's code is never started.",
    run: (rig) => rig.call({ id: "call_3", name: "delete_branch", arguments: `{"branch": "main"}` }),
  },
  {
    title: "Timed out",
    lead: "The tool ignores its abort signal. The caller is answered on time; what comes later is never a success.",
    async run(rig) {
      const late = new Promise<void>((resolve) => {
        const stop = rig.events.on("call.late", () => {
          stop();
          resolve();
        });
      });
      await rig.call({ id: "call_4", name: "send_invoice", arguments: `{"to": "ada@example.com"}` });
      await late;
    },
  },
  {
    title: "A parallel batch",
    lead: "Three calls run at once. The last to finish was asked first, and still is answered first.",
    run: (rig) =>
      rig.batch([
        { id: "call_5", name: "read_page", arguments: `{"title": "Deadlines", "delay": 300}` },
        { id: "call_6", name: "read_page", arguments: `{"title": "Guards", "delay": 100}` },
        { id: "call_7", name: "read_page", arguments: `{"title": "Results", "delay": 200}` },
      ]),
  },
  {
    title: "A crash",
    lead: "A tool calls another one, whose code has a bug. Both calls get a result, and the process lives on.",
    run: (rig) => rig.call({ id: "call_8", name: "summarize", arguments: `{"title": "Typos"}` }),
  },
];
