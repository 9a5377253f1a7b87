import type { ApiError } from "../api/client.ts";
import { visible } from "../format/visible.ts";

/** Why the server refused: the sentence, then the code, then each field it did not like. */
export function ProblemNote({ error }: { error: ApiError }) {
  const { detail, code, status, issues = [] } = error.problem;
  // The line at the top says it, and has the field for the token.
  if (status === 401) return null;
  return (
    <div class="problem" role="alert">
      <p class="prose">{visible(detail)}</p>
      <code>{code}</code>
      {issues.length > 0 && (
        <ul>
          {issues.map(({ path, message }) => (
            <li key={path}>
              <code>{visible(path === "" ? "/" : path)}</code> {visible(message)}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
