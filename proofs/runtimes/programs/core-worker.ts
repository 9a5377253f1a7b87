import { callsAndRun } from "./core.ts";

// biome-ignore lint/style/noDefaultExport: workerd calls the default export
export default {
  async fetch(): Promise<Response> {
    return callsAndRun().then(
      (text) => new Response(text),
      (error: Error) => new Response(error.stack ?? error.message, { status: 500 }),
    );
  },
};
