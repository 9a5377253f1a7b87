import type { ApiError } from "../api/client.ts";
import { visible } from "../format/visible.ts";

/** Why the server refused: the sentence, then the code, then each field it did not like. */
export function ProblemNote({ error }: { error: ApiError }) {
  const { detail, code, issues = [] } = error.problem;
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
