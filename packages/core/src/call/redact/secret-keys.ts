/** Names of fields whose values are secret. */

const SECRET_KEYS = [
  "password",
  "passwd",
  "passphrase",
  "passcode",
  "passwort",
  "kennwort",
  "contrasena",
  "wachtwoord",
  "secret",
  "token",
  "apikey",
  "authorization",
  "proxyauthorization",
  "cookie",
  "setcookie",
  "credential",
  "credentials",
  "privatekey",
  "accesskey",
  "secretkey",
  "secretkeybase",
  "signingkey",
  "encryptionkey",
  "masterkey",
  "sharedkey",
  "accountkey",
  "authkey",
  "clientsecret",
  "connectionstring",
  "sessionid",
  "sessionkey",
  "jwt",
  "otp",
  "xapikey",
  "xauthkey",
  "sharedaccesssignature",
  "subscriptionkey",
  "jsessionid",
  "phpsessid",
  "xamzsignature",
  "xgoogsignature",
  "xfunctionskey",
  "clientkeydata",
  "psk",
  "presharedkey",
  "googsignature",
];

/** Names that end like a secret, one or several of them, and those that only look it. */
const SECRET_ENDING =
  /(?:password|passwd|passphrase|passcode|secret|token|apikey|privatekey|secretkey|accesskey|signingkey|encryptionkey|masterkey|accountkey|sharedkey|authkey|subscriptionkey|credential)s?$/;
const NOT_SECRET =
  /(?:page|next|continuation|sync|resume|cancel(?:lation)?|stop|special|pad|eos|bos|unk|mask|cursor|lex(?:er)?|syntax|has|is|max|min|num|total|prompt|completion|input|output|reasoning|cached?|used|count)tokens?$|^(?:has|is|no|num|max|min|use|needs?|require[sd]?|allow(?:ed)?|forgot|reset|change|show|hide|invalid|missing|wrong)(?:password|passwd|secret|token|apikey|credential)s?$/;

/** Names that stand for a secret as often as for something else: there, the value decides. */
const AMBIGUOUS = new Set(["tokens", "pass", "auth", "pwd", "sig", "pw", "creds", "bearer"]);

/** The same as the end of a longer name: `DB_PASS`, `smtp-pwd`. */
const AMBIGUOUS_ENDING = /[_\-.](?:pass|pwd|pw|auth|creds)\d{0,4}$/i;

/** Names of request headers: the rest of the line is theirs. */
const HEADERS = new Set(["authorization", "proxyauthorization", "cookie", "setcookie"]);

/** "perhaps" where the value decides. */
export type Secrecy = "yes" | "perhaps" | "no";

/** Says what a name says of its value. */
export type Judge = (key: string) => Secrecy;

export function simplify(key: string): string {
  return key.toLowerCase().replace(/[_\-\s.]/g, "");
}

/** What a name says of its value. `own` are further names, as `simplify` makes them. */
export function secrecyOf(key: string, own: ReadonlySet<string>): Secrecy {
  const simple = simplify(key);
  if (own.has(simple)) return "yes";
  const bare = simple.replace(/\d{1,4}$/, "");
  if (AMBIGUOUS.has(bare) || AMBIGUOUS_ENDING.test(key)) return "perhaps";
  if (NOT_SECRET.test(bare)) return "no";
  if (KEYS.has(bare) || SECRET_ENDING.test(bare)) return "yes";
  const stem = SUFFIX.exec(key);
  return stem === null ? "no" : suffixed(stem[1] ?? "", stem[2] ?? "", own);
}

/** `MY_PASSWORD_PROD`, `TOKEN_GITHUB`: what comes after the name of a secret says which one, or something about it. */
const SUFFIX = /^([A-Za-z][\w.-]{1,60})[_.-]([A-Za-z]{2,20})$/;
const WHICH_ONE =
  /^(?:prod|production|live|staging|stage|stg|dev|development|test|testing|local|sandbox|qa|uat|old|new|prev|previous|current|next|primary|secondary|backup|main|default|base|v)$/i;
const ABOUT_IT =
  /^(?:file|files|path|dir|url|uri|name|names|id|ids|length|len|min|max|count|limit|limits|ttl|expiry|expires?|expiration|exp|at|timeout|type|types|policy|enabled|disabled|required|hash|hashed|algorithm|alg|algo|header|field|fields|key|prefix|suffix|regex|pattern|rotation|age|days|hours|minutes|seconds|size|store|provider|endpoint|host|port|issuer|audience|scope|scopes|version|format|manager|arn|ref|env|var|stdin|reset|change|changed|strength|rules?|usage|price|cost|bucket|budget|rate|status|state|set|text|list|index|map|class|login|auth|auths|server|service|generator|validator|helper|util|utils|test|spec|ts|js|py|json|md|txt|go|rs|yml|yaml|html|css)$/i;

function suffixed(stem: string, suffix: string, own: ReadonlySet<string>): Secrecy {
  if (WHICH_ONE.test(suffix)) return secrecyOf(stem, own);
  if (ABOUT_IT.test(suffix) || suffix !== suffix.toUpperCase()) return "no";
  return secrecyOf(stem, own) === "no" ? "no" : "perhaps";
}

const KEYS: ReadonlySet<string> = new Set(SECRET_KEYS);

export function isHeader(key: string): boolean {
  return HEADERS.has(simplify(key));
}

/** Whether a word looks made up by a machine, or by somebody who was told to use digits: no word, path or number. */
export function looksRandom(word: string): boolean {
  if (word.length < 6 || /\s/.test(word) || /^(?:[~.]{0,2}\/|[A-Za-z]:[\\/]|https?:)/.test(word))
    return false;
  if (/\d/.test(word)) return /[A-Za-z]/.test(word);
  // Letters alone: cases change more often than in a name made of words.
  return word.length >= 20 && (word.match(/[a-z][A-Z]/g)?.length ?? 0) * 6 >= word.length;
}

/**
 * What a text must have in it for a name above, or for a place that holds a secret (`maskPlaces`). Most texts have none of it,
 * and are looked at no further.
 */
export const HINT_OF_NAME =
  /pass|pwd|pw|secret|token|key|cookie|cred|auth|bearer|basic|jwt|otp|sig|session|connection|kennwort|contrasena|wachtwoord|curl|mysql|mariadb|redis|login|ldap|psk|identified|community|kty|jdbc:|digest|securestring|[\d*]:[\w*-]+:|[?&]code=|:\/\/|\\u00/i;
