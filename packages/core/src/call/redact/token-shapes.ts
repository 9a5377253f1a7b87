/**
 * Secrets that are known by their shape, wherever they stand. The prefixes are those that vendors give their keys so that
 * they can be found. Each pattern is linear: what it scans it consumes, or the repetition is bounded and cannot begin again
 * inside itself.
 */

/** What stands for one character: in JSON, also inside of other JSON, and in addresses. */
const ESCAPE = String.raw`\\[bfnrt]|\\u[0-9A-Fa-f]{4}|%[0-9A-Fa-f]{2}`;

/** `shape` where a word begins: behind none of the characters of `word`, or behind an escape, whose last one may look like one. */
export function begun(shape: RegExp, word = "\\w"): RegExp {
  return new RegExp(`(?:(?<![${word}])|(?<=${ESCAPE}))${shape.source}`, shape.flags);
}

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

const PREFIX = `(?:${PREFIXES.join("|")})`;
const PREFIXED = begun(new RegExp(`${PREFIX}[\\w-]{16,400}`, "g"), "\\w-");

/** Words joined by `-` or `_` are names, such as `sk-learn-compatible-estimators` or `npm_config_user_agent`. */
function isName(token: string): boolean {
  return !/\d/.test(token.slice(3)) && !(/[a-z]/.test(token) && /[A-Z]/.test(token));
}

const SHAPES: readonly RegExp[] = [
  /-----BEGIN [A-Z ]{0,30}PRIVATE KEY(?: BLOCK)?-----[\s\S]*?(?:-----END [A-Z ]{0,30}PRIVATE KEY(?: BLOCK)?-----|$)/g,
  /PuTTY-User-Key-File-\d[\s\S]*?(?:Private-MAC: \w{1,64}|$)/g,
  begun(/eyJ[\w-]{10,2000}\.[\w-]{10,4000}\.[\w-]{5,2000}/g, "\\w-"),
  begun(/eyJ[\w-]{10,2000}\.[\w-]{0,1000}\.[\w-]{5,200}\.[\w-]{10,4000}\.[\w-]{5,200}/g, "\\w-"),
  begun(/(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\b/g),
  begun(/AIza[\w-]{35}/g),
  begun(/ya29\.[\w-]{20,2000}/g),
  begun(/SG\.[\w-]{16,64}\.[\w-]{16,64}/g),
  begun(/SK[0-9a-f]{32}\b/g),
  begun(/[0-9a-f]{32}-us\d{1,2}\b/g),
  begun(/\d{8,10}:AA[\w-]{33}(?![\w-])/g),
  // Where it is used: `https://api.telegram.org/bot…/sendMessage`.
  /(?<=\/bot)\d{8,10}:AA[\w-]{33}(?![\w-])/g,
  // Hashes of passwords: bcrypt, crypt, htpasswd, argon2.
  begun(/\$2[abxy]?\$\d\d\$[./A-Za-z0-9]{53}/g, "\\w$"),
  begun(/\$(?:1|5|6|7|y|gy|apr1)\$(?:[\w=./]{1,40}\$){0,3}[./A-Za-z0-9]{16,128}/g, "\\w$"),
  begun(/\$argon2\w{1,2}\$[\w=,+/$-]{20,300}/g, "\\w$"),
  /(?<=:\{S?SHA\})[A-Za-z0-9+/]{20,80}={0,2}/g,
  begun(/[MNO][\w-]{23,25}\.[\w-]{6}\.[\w-]{27,38}/g),
  begun(/pat[A-Za-z0-9]{14}\.[0-9a-f]{64}\b/g),
  begun(/dapi[0-9a-f]{32}\b/g),
  begun(/dp\.(?:ct|pt|st|sa|scim|audit)\.[\w.-]{20,100}/g),
  begun(/hv[bsr]\.[\w-]{20,300}/g),
  begun(/[\w]{14}\.atlasv1\.[\w-]{60,70}/g),
  begun(/sl\.[\w-]{60,1500}/g),
  begun(/dt0c01\.[A-Z0-9]{24}\.[A-Z0-9]{64}/g),
  begun(/sk\.eyJ[\w-]{10,500}\.[\w-]{10,100}/g),
  begun(/AKCp[A-Za-z0-9]{10,100}/g),
  begun(/oy2[a-z0-9]{43}\b/g),
  begun(/EAA[A-Za-z0-9]{60,400}\b/g),
  begun(/1\/\/0[\w-]{20,200}/g, "\\w/"),
  begun(/[\w~.-]{3}\dQ~[\w~.-]{31,34}/g, "\\w~.-"),
  /(?<=hooks\.slack\.com\/(?:services|workflows|triggers)\/)[\w/-]{20,200}/g,
  /(?<=discord(?:app)?\.com\/api\/webhooks\/\d{1,25}\/)[\w-]{20,200}/g,
  /(?<=\.webhook\.office\.com\/webhookb2\/)[\w@/-]{20,300}/g,
];

/** What at least one of the shapes needs. */
const HINT = new RegExp(
  [
    `(?<![\\w-])${PREFIX}`,
    "-----BEGIN|-----END|PuTTY-|eyJ|A[KSBC]IA|ACCA|AIza|ya29|1//0|SG\\.|SK[0-9a-f]{8}|-us\\d|dapi[0-9a-f]|AKCp|oy2[a-z0-9]{9}",
    "pat[A-Za-z0-9]{14}\\.|dp\\.|hv[bsr]\\.|\\.atlasv1\\.|sl\\.|dt0c01|EAA|\\dQ~|[MNO][\\w-]{23,25}\\.|:AA|webhook|hooks\\.",
    "\\$(?:2[abxy]?|[1567y]|gy|apr1|argon2\\w{1,2})\\$|\\{S?SHA\\}|LS0tLS1CRUdJTi",
  ].join("|"),
);
/** The same behind an escape, which most texts have none of. */
const HINT_ESCAPED = new RegExp(`(?:${ESCAPE})${PREFIX}`);

/** What is made up by a machine is long; most texts have no such word. */
const LONG_WORD = /[\w.~+/=-]{18}/;

/** `text` with every secret that is known by its own shape replaced by `mask`. */
export function maskTokens(text: string, mask: string): string {
  if (!LONG_WORD.test(text) || !(HINT.test(text) || HINT_ESCAPED.test(text))) return text;
  let clean = text.replace(PREFIXED, (token) => (isName(token) ? token : mask));
  for (const shape of SHAPES) clean = clean.replace(shape, mask);
  clean = clean.replace(ENCODED_PEM, (encoded) => (isPrivateKey(encoded) ? mask : encoded));
  return clean.includes("-----END ") ? maskRests(clean, mask) : clean;
}

/** What `-----BEGIN ` is in Base64, and what follows, as in a kubeconfig. Certificates look the same and are no secret. */
const ENCODED_PEM = /LS0tLS1CRUdJTi[A-Za-z0-9+/]{20,}={0,2}/g;

function isPrivateKey(encoded: string): boolean {
  try {
    return /PRIVATE KEY/.test(atob(encoded.slice(0, 64)));
  } catch {
    return true;
  }
}

/** Of private keys whose beginning is elsewhere: the lines of letters and digits before the end. */
function maskRests(text: string, mask: string): string {
  let clean = "";
  let from = 0;
  for (const { 0: all, index } of text.matchAll(END_OF_KEY)) {
    let start = index;
    while (start > from && /[\w+/=\r\n\\]/.test(text.charAt(start - 1))) start -= 1;
    clean += text.slice(from, start) + mask;
    from = index + all.length;
  }
  return clean + text.slice(from);
}

const END_OF_KEY = /-----END [A-Z ]{0,30}PRIVATE KEY(?: BLOCK)?-----/g;
