import type { JSONRPCMessage, JSONRPCNotification } from "@modelcontextprotocol/server";

/** Notifications of progress and logs, which are not sent to a client that is behind. */
const OF_CALLS: ReadonlySet<string> = new Set(["notifications/progress", "notifications/message"]);

/** Whether a message tells only that something has changed. */
export function isNews(message: JSONRPCMessage): message is JSONRPCNotification {
  return "method" in message && !("id" in message) && !OF_CALLS.has(message.method);
}

/** The same for notifications of which the last one tells everything. */
export function subjectOf({ method, params }: JSONRPCNotification): string {
  return method === "notifications/tasks/status"
    ? `${method} ${params?.taskId}`
    : JSON.stringify([method, params]);
}
