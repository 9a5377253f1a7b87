/** @jsxImportSource react */
import { type UIMessage, useChat } from "@ai-sdk/react";
import {
  DefaultChatTransport,
  getToolName,
  isToolUIPart,
  lastAssistantMessageIsCompleteWithApprovalResponses,
} from "ai";
import { useState } from "react";
import { createRoot } from "react-dom/client";

type Part = UIMessage["parts"][number];
type Answer = (answer: { id: string; approved: boolean }) => unknown;

function Chat() {
  const { messages, sendMessage, status, error, addToolApprovalResponse } = useChat({
    transport: new DefaultChatTransport({ api: "/chat" }),
    // An answered approval is sent at once, and the run continues in the same message.
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
  });
  const [text, setText] = useState("");
  return (
    <>
      <h1>Support desk</h1>
      <main aria-live="polite">
        {messages.flatMap(({ id, role, parts }) =>
          parts.map((part, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: parts are only ever appended
            <Shown key={`${id}-${index}`} part={part} role={role} answer={addToolApprovalResponse} />
          )),
        )}
        {error && <p className="note">{error.message}</p>}
      </main>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void sendMessage({ text });
          setText("");
        }}
      >
        <input
          aria-label="Message"
          placeholder="Order 1234 came broken."
          required
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
        <button type="submit" disabled={status === "submitted" || status === "streaming"}>
          Send
        </button>
      </form>
    </>
  );
}

function Shown({ part, role, answer }: { part: Part; role: string; answer: Answer }) {
  if (part.type === "text") return <p className={role}>{part.text}</p>;
  if (!isToolUIPart(part)) return null;
  const name = getToolName(part);
  if (part.state === "approval-requested") {
    const { id } = part.approval;
    return (
      <section className="question">
        May {name} run? {part.approval.reason}
        <code>{JSON.stringify(part.input)}</code>
        <button type="button" onClick={() => answer({ id, approved: true })}>
          Approve
        </button>
        <button type="button" onClick={() => answer({ id, approved: false })}>
          Deny
        </button>
      </section>
    );
  }
  if (part.state === "output-available") return <p className="note">{name} ran</p>;
  if (part.state === "output-denied") return <p className="note">{name} did not run</p>;
  return <p className="note">{part.state === "output-error" ? part.errorText : `${name} …`}</p>;
}

createRoot(document.querySelector("#page") as HTMLElement).render(<Chat />);
