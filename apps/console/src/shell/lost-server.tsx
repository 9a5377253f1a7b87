import { useState } from "preact/hooks";
import { connection } from "../api/connection.ts";
import { retryNow } from "../api/feed.ts";
import { keepToken } from "../api/token.ts";
import { ago, exactly } from "../format/time.ts";

/** The line at the top when the server is lost: since when, and that everything stays readable. */
export function LostServer() {
  const now = connection.value;
  if (now.state === "locked") return <TokenForm why={now.why} />;
  if (now.state !== "lost") return null;
  return (
    <div class="lost" role="status">
      <strong>Server lost</strong>
      <span title={exactly(now.since)}>{ago(now.since)}.</span>
      <span class="lost-why clip">
        {now.why} What you see is from before; it goes on by itself when the server is back.
      </span>
      <button type="button" onClick={retryNow}>
        Try now
      </button>
    </div>
  );
}

function TokenForm({ why }: { why: string }) {
  const [token, setToken] = useState("");
  return (
    <form
      class="lost"
      onSubmit={(event) => {
        event.preventDefault();
        keepToken(token.trim());
        // Everything that was refused is asked again.
        location.reload();
      }}
    >
      <strong>Locked</strong>
      <span class="lost-why clip">{why}</span>
      <input
        type="password"
        autoComplete="off"
        aria-label="Token"
        placeholder="from toolrig token new"
        value={token}
        onInput={({ currentTarget }) => setToken(currentTarget.value)}
      />
      <button type="submit" disabled={token.trim() === ""}>
        Unlock
      </button>
    </form>
  );
}
