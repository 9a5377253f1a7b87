/**
 * Secrets that are known by their shape, wherever they stand. The prefixes are those that vendors give their keys so that
 * they can be found. Each pattern is linear: what it scans it consumes, or the repetition is bounded and cannot begin again
 * inside itself.
 */

/** Prefixes of keys that go on with letters, digits, `_` and `-`, at least 16 of them, digits or both cases among them. */
const PREFIXES = [
  "AGE-SECRET-KEY-1",
  "ATATT3",
  "ATBB",
  "ATCTT3",
  "CCIPAT_",
  "CCIPRJ_",
  "CFPAT-",
  "CLOJARS_",
  "EAACEdEose0cBA",
  "EZAK",
  "EZTK",
  "FLWSECK[-_]",
  "GOCSPX-",
  "HRKU-",
  "NRAK-",
  "NRII-",
  "NRRA-",
  "PMAK-",
  "aio_",
  "bkua_",
  "ddp_",
  "dckr_[op]at_",
  "do[opr]_v1_",
  "duffel_(?:live|test)_",
  "e2b_",
  "fig[dor]_",
  "fio-u-",
  "fly(?:v1)?_",
  "fm[12][ar]?_",
  "fo1_",
  "gh[oprsu]_",
  "github_pat_",
  "gl(?:agent|cbt|dt|ffct|ft|imt|oas|pat|ptt|rt|soat|wt)-",
  "gl(?:c|sa)_",
  "gsk_",
  "hf_",
  "key-",
  "lin_(?:api|oauth)_",
  "lip_",
  "lsv2_(?:pt|sk)_",
  "nfp_",
  "npm_",
  "ntn_",
  "nvapi-",
  "ovsx(?:at|p)_",
  "pcsk_",
  "ph[sx]_",
  "pnu_",
  "pplx-",
  "pscale_(?:tkn|pw|oauth)_",
  "pul-",
  "pypi-",
  "r8_",
  "rdme_",
  "rnd_",
  "rubygems_",
  "sb(?:p|_secret)_",
  "secret_",
  "sgp_",
  "shippo_(?:live|test)_",
  "shp(?:at|ca|pa|ss)_",
  "sk-",
  "(?:sk|pk|rk)_(?:live|test|prod)_",
  "sk_",
  "sntry[su]_",
  "sq0(?:atp|csp|idp)-",
  "sq[apu]_",
  "tfp_",
  "tskey-",
  "tvly-",
  "whsec_",
  "xai-",
  "xapp-",
  "xkeysib-",
  "xox[abceoprs]-",
];

const PREFIXED = new RegExp(`(?<![\\w-])(?:${PREFIXES.join("|")})[\\w-]{16,400}`, "g");

/** Words joined by `-` or `_` are names, such as `sk-learn-compatible-estimators` or `npm_config_user_agent`. */
function isName(token: string): boolean {
  return !/\d/.test(token.slice(3)) && !(/[a-z]/.test(token) && /[A-Z]/.test(token));
}

const SHAPES: readonly RegExp[] = [
  /-----BEGIN [A-Z ]{0,30}PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END [A-Z ]{0,30}PRIVATE KEY(?: BLOCK)?-----|$)/g,
  /PuTTY-User-Key-File-\d[\s\S]*?(?:Private-MAC: \w{1,64}|$)/g,
  /(?<![\w-])eyJ[\w-]{10,2000}\.[\w-]{10,4000}\.[\w-]{5,2000}/g,
  /(?<![\w-])eyJ[\w-]{10,2000}\.[\w-]{0,1000}\.[\w-]{5,200}\.[\w-]{10,4000}\.[\w-]{5,200}/g,
  /\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\b/g,
  /\bAIza[\w-]{35}/g,
  /\bya29\.[\w-]{20,2000}/g,
  /(?<![\w/])1\/\/0[\w-]{20,200}/g,
  /\bSG\.[\w-]{16,64}\.[\w-]{16,64}/g,
  /\bSK[0-9a-f]{32}\b/g,
  /\b[0-9a-f]{32}-us\d{1,2}\b/g,
  /\b\d{8,10}:AA[\w-]{33}(?![\w-])/g,
  /\b[MNO][\w-]{23,25}\.[\w-]{6}\.[\w-]{27,38}/g,
  /\bpat[A-Za-z0-9]{14}\.[0-9a-f]{64}\b/g,
  /\bdapi[0-9a-f]{32}\b/g,
  /\bdp\.(?:ct|pt|st|sa|scim|audit)\.[\w.-]{20,100}/g,
  /\bhv[bsr]\.[\w-]{20,300}/g,
  /\b[\w]{14}\.atlasv1\.[\w-]{60,70}/g,
  /\bsl\.[\w-]{60,1500}/g,
  /\bdt0c01\.[A-Z0-9]{24}\.[A-Z0-9]{64}/g,
  /\bsk\.eyJ[\w-]{10,500}\.[\w-]{10,100}/g,
  /\bAKCp[A-Za-z0-9]{10,100}/g,
  /\boy2[a-z0-9]{43}\b/g,
  /\bEAA[A-Za-z0-9]{60,400}\b/g,
  /(?<![\w~.-])[\w~.-]{3}\dQ~[\w~.-]{31,34}/g,
  /(?<=hooks\.slack\.com\/(?:services|workflows|triggers)\/)[\w/-]{20,200}/g,
  /(?<=discord(?:app)?\.com\/api\/webhooks\/\d{1,25}\/)[\w-]{20,200}/g,
  /(?<=\.webhook\.office\.com\/webhookb2\/)[\w@/-]{20,300}/g,
];

/** A scheme of authorization with what is made up by a machine; "basic authentication" is not. */
const SCHEME = /\b(?:Bearer|Basic|Token|ApiKey)\s{1,4}([A-Za-z0-9._~+/=-]{12,4000})/gi;

function isCredential(word: string): boolean {
  return /\d/.test(word) ? /[A-Za-z]/.test(word) : /=$|[a-z][A-Z]/.test(word);
}

/** Between the `:` and the last `@` of an address; a port is no password. */
const PASSWORD_IN_URL =
  /(:\/\/[^\s/:@[\]"'<>]{0,100}:)(?!\d{1,5}(?:[/?#\s"']|$))([^\s"'<>]{1,200})(?=@[\w[%.-])/g;

/** Programs that take a password without naming it. */
const COMMANDS: readonly RegExp[] = [
  /(\bcurl\b[^\n]{0,300}?\s(?:-u|--user|-U|--proxy-user)[ =]?["']?[^\s:"']{1,100}:)([^\s"']{1,200})/g,
  /(\b(?:mysql|mysqldump|mysqladmin|mariadb)\b[^\n]{0,200}?\s-p["']?)([^\s"']{1,200})/g,
  /(\bsshpass\s{1,4}-p\s{0,4}["']?)([^\s"']{1,200})/g,
  /(\bredis-cli\b[^\n]{0,200}?\s-a\s{1,4}["']?)([^\s"']{1,200})/g,
  /(\b(?:htpasswd)\b[^\n]{0,100}?\s-\w{0,5}b\w{0,5}\s{1,4}\S{1,100}\s{1,4}\S{1,100}\s{1,4}["']?)([^\s"']{1,200})/g,
  /(\b(?:docker|podman|helm|oras)\s(?:registry )?login\b[^\n]{0,200}?\s-p\s{1,4}["']?)([^\s"']{1,200})/g,
];

/** What at least one of the shapes needs. */
const HINT = new RegExp(
  [
    `(?<![\\w-])(?:${PREFIXES.join("|")})`,
    "-----BEGIN|PuTTY-|eyJ|A[KSBC]IA|ACCA|AIza|ya29|1//0|SG\\.|SK[0-9a-f]{8}|-us\\d|dapi[0-9a-f]|AKCp|oy2[a-z0-9]{9}",
    "pat[A-Za-z0-9]{14}\\.|dp\\.|hv[bsr]\\.|\\.atlasv1\\.|sl\\.|dt0c01|EAA|\\dQ~|[MNO][\\w-]{23,25}\\.|:AA|webhook|hooks\\.",
  ].join("|"),
);
const HINT_OF_COMMAND = /curl|mysql|mariadb|sshpass|redis-cli|htpasswd|login/;

/** What is made up by a machine is long; most texts have no such word. */
const LONG_WORD = /[\w.~+/=-]{18}/;

/** What is looked for in a text. */
interface Patterns {
  readonly hint: RegExp;
  readonly prefixed: RegExp;
  readonly shapes: readonly RegExp[];
  readonly scheme: RegExp;
  readonly commands: readonly RegExp[];
}

const PLAIN: Patterns = { hint: HINT, prefixed: PREFIXED, shapes: SHAPES, scheme: SCHEME, commands: COMMANDS };

/** The same where the character before may be the end of an escape: in JSON a line begins behind the `n` of `\n`, in an address a word behind `%20`. */
const ESCAPED: Patterns = {
  hint: afterEscapes(HINT),
  prefixed: afterEscapes(PREFIXED),
  shapes: SHAPES.map(afterEscapes),
  scheme: afterEscapes(SCHEME),
  commands: COMMANDS.map(afterEscapes),
};

function afterEscapes({ source, flags }: RegExp): RegExp {
  const [lead = "", open = "", boundary = ""] = /^(\(?)(\\b|\(\?<!\[[^\]]+\]\))/.exec(source) ?? [];
  if (boundary === "") return new RegExp(source, flags);
  const escape = "(?<=\\\\(?:[bfnrt]|u[0-9a-fA-F]{4})|%[0-9a-fA-F]{2})";
  return new RegExp(`${open}(?:${boundary}|${escape})${source.slice(lead.length)}`, flags);
}

function patternsFor(text: string): Patterns {
  return text.includes("\\") || text.includes("%") ? ESCAPED : PLAIN;
}

/** `text` with every secret that is known by its own shape replaced by `mask`. */
export function maskTokens(text: string, mask: string): string {
  if (!LONG_WORD.test(text)) return text;
  const { hint, prefixed, shapes } = patternsFor(text);
  if (!hint.test(text)) return text;
  let clean = text.replace(prefixed, (token) => (isName(token) ? token : mask));
  for (const shape of shapes) clean = clean.replace(shape, mask);
  return clean;
}

/** `text` with what stands where an address, a scheme or a program has its secret replaced by `mask`. */
export function maskPlaces(text: string, mask: string): string {
  const { scheme, commands } = patternsFor(text);
  let clean = text.replace(scheme, (all, word: string) => (isCredential(word) ? mask : all));
  if (clean.includes("://")) clean = clean.replace(PASSWORD_IN_URL, `$1${mask}`);
  if (HINT_OF_COMMAND.test(clean))
    for (const command of commands) clean = clean.replace(command, `$1${mask}`);
  return clean;
}
