import type { Msg } from "@nats-io/transport-node";

/** Inboxes begin so, whatever follows: `_INBOX.x`, `_INBOX_desk.x`, and `_R_.x` for who asks from an account of their own. */
const INBOX = "_";

/**
 * Answers a message if it was sent from an inbox. Who asks names where the answer goes, and the worker that answers may say
 * more than who asks: nobody is answered on a subject that calls, cancels or writes.
 */
export function answer(message: Msg, text: string): void {
  if (isInbox(message.reply ?? "")) message.respond(text);
}

/** Whether a subject, or the prefix of some, is one on which answers are waited for and nothing else is said. */
export function isInbox(subject: string): boolean {
  return subject.startsWith(INBOX);
}
