import { check, parseDuration } from "@toolrig/core/kit";
import { checkScope, type KeptToken, TokenFile } from "@toolrig/server";
import { CONFIG_OPTION } from "../config/load-settings.ts";
import { projectFiles } from "../config/project-files.ts";
import { recordChange } from "../config/record-change.ts";
import { chooseAction } from "../shell/choose-action.ts";
import { command, type Invocation } from "../shell/command.ts";
import { NotFound } from "../shell/not-found.ts";
import { userName } from "../shell/user-name.ts";
import type { Row } from "../terminal/columns.ts";
import { note, print, printJson } from "../terminal/output.ts";
import { printTable } from "../terminal/table.ts";

const FIRST =
  "It is the first: a server that was started without tokens asks for none until it is started again.";
const HEAD = ["TOKEN", "FOR", "SCOPES", "MADE", "UNTIL"];

const OPTIONS = {
  ...CONFIG_OPTION,
  scope: {
    type: "string",
    value: "SCOPES",
    describe: "new: what it is good for, with commas (default: read,call)",
  },
  expires: { type: "string", value: "DURATION", describe: 'new: for how long, such as "30d" (default: 90d)' },
  forever: { type: "boolean", describe: "new: until it is revoked" },
} as const;

interface Action {
  file: TokenFile;
  values: Invocation<typeof OPTIONS>["values"];
  target: string | undefined;
}

export const token = command({
  name: "token",
  positionals: ["new|list|revoke", "[NAME|TOKEN]"],
  options: OPTIONS,
  details: [
    "new makes a token for NAME, on whose behalf its calls are made and who its answers are from (default: you), and prints",
    "it. It is told once: .toolrig/tokens.json beside the config keeps its hash. Scopes: read (look at everything), call (all tools",
    "and runs), tools:NAME and provider:NAME (only those tools), approve (approve, deny and complete what waits, not for oneself;",
    "answer questions, also one's own), admin (everything). revoke takes the id that list shows, or a name for all of its tokens.",
    "A server that runs takes notice within a second; one that was started before the first token was made, when it is started",
    "again.",
  ].join("\n"),
  examples: [
    "toolrig token new ci --scope call --expires 30d",
    "toolrig token new ann --scope read,approve",
    "toolrig token list",
    "toolrig token revoke tok_1a2b3c4d",
  ],

  async run({ values, positionals: [name, target] }) {
    const act = chooseAction("token", name, { new: create, list, revoke });
    return act({ file: new TokenFile(projectFiles(values.config).tokens), values, target });
  },
});

async function create({ file, values, target }: Action): Promise<number> {
  if (target?.trim() === "") throw check.invalid("NAME", "whom the token is for", target);
  const scopes = (values.scope ?? "read,call").split(",").map((each) => checkScope("--scope", each.trim()));
  if (values.forever === true && values.expires !== undefined)
    throw check.invalid("--expires", "left out with --forever", values.expires);
  const expiresAt =
    values.forever === true ? undefined : Date.now() + parseDuration(values.expires ?? "90d", "--expires");
  const isFirst = !file.exists;
  const { token: made, kept } = file.add(userName(target), scopes, expiresAt);
  if (values.json === true) printJson({ token: made, ...shown(kept) });
  else print(made);
  note(`${kept.id} for ${kept.principal.id}: ${scopes.join(", ")}. It is not shown again.`, "dim");
  if (isFirst) note(FIRST, "warn");
  const { sha256: _, ...details } = kept;
  await recordChange(values.config, { action: "token.made", subject: kept.id, details });
  return 0;
}

function list({ file, values }: Action): number {
  const tokens = file.list();
  if (values.json === true) printJson(tokens.map(shown));
  else printTable(HEAD, tokens, cells);
  if (tokens.length === 0) note("There are no tokens.", "dim");
  return 0;
}

async function revoke({ file, values, target }: Action): Promise<number> {
  check.string("TOKEN", target);
  const count = file.revoke(target ?? "");
  if (count === 0)
    throw new NotFound(`There is no token ${target}. Run "toolrig token list" for those there are.`);
  if (values.json === true) printJson({ revoked: count });
  else note(`${count} ${count === 1 ? "token is" : "tokens are"} revoked.`);
  await recordChange(values.config, {
    action: "token.revoked",
    subject: target ?? "",
    details: { revoked: count },
  });
  return 0;
}

/** What it hashes to is nobody's business. */
function shown({ sha256: _, ...kept }: KeptToken): Omit<KeptToken, "sha256"> {
  return kept;
}

function cells({ id, principal, scopes, createdAt, expiresAt }: KeptToken): Row {
  const until = expiresAt === undefined ? "revoked" : new Date(expiresAt).toISOString();
  return [id, principal.id, scopes.join(","), new Date(createdAt).toISOString(), until];
}
