import { withParams } from "./location.ts";

/** Addresses of the console's pages, made in one place. */
export const callPage = (executionId: string) => `/calls/${encodeURIComponent(executionId)}`;
export const runPage = (runId: string) => `/runs/${encodeURIComponent(runId)}`;
export const toolPage = (name: string) => `/tools/${encodeURIComponent(name)}`;

/** The call as a drawer over the page one is on. */
export const callDrawer = (executionId: string) => withParams({ call: executionId });
