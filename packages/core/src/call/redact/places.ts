import { looksRandom } from "./secret-keys.ts";
import { begun } from "./token-shapes.ts";
import { isPlaceholder } from "./value-at.ts";

/**
 * Secrets that are known by the place where they are used: an address, a scheme of authorization, a statement or the arguments of a
 * program. Each pattern is linear: repetitions are bounded.
 */

/** A scheme of authorization with what is made up by a machine; "basic authentication" is not. */
const SCHEME = begun(/(?:Bearer|Basic|Token|ApiKey)\s{1,4}([A-Za-z0-9._~+/=-]{12,4000})/gi);

function isCredential(word: string): boolean {
  return /\d/.test(word) ? /[A-Za-z]/.test(word) : /=$|[a-z][A-Z]/.test(word);
}

/** What stands before a secret, the secret, and which secrets count, where not all do. */
interface Place {
  pattern: RegExp;
  isSecret?(word: string): boolean;
}

const IN_ADDRESSES: readonly Place[] = [
  // Between the `:` and the last `@` of an address; a port is no password.
  {
    pattern: /(:\/\/[^\s/:@[\]"'<>]{0,100}:)(?!\d{1,5}(?:[/?#\s"']|$))([^\s"'<>]{1,200})(?=@[\w[%.-])/g,
  },
  // `https://TOKEN@host`
  { pattern: /(:\/\/)([\w.~%+-]{16,200})(?=@[\w[%.-])/g, isSecret: looksRandom },
  { pattern: /([?&](?:key|code)=)([\w~.%/+-]{16,500})/gi, isSecret: isMadeUp },
  { pattern: /([?&](?:X-Goog-)?Signature=)([\w~.%/+=-]{20,1000})/gi },
];

/** Statements and sentences that do not put the secret right behind its name. */
const IN_TEXT: readonly { hint: RegExp; places: readonly Place[] }[] = [
  {
    hint: /password|identified/i,
    places: [
      { pattern: /(\b(?:USER|ROLE|LOGIN)\b[^;\n]{0,200}?\bPASSWORD\s{1,4}N?')([^'\n]{1,200})/gi },
      { pattern: /(\bIDENTIFIED\s{1,4}(?:WITH\s{1,4}\S{1,64}\s{1,4})?BY\s{1,4}["'])([^"'\n]{1,200})/gi },
    ],
  },
  {
    hint: /SecureString/i,
    places: [{ pattern: /(\bConvertTo-SecureString\s{1,4}(?:-\w{1,20}\s{1,4}){0,3}["'])([^"'\n]{1,200})/gi }],
  },
  {
    hint: /Digest\s/i,
    places: [{ pattern: /(\bDigest\s[^\n]{0,400}?\bresponse=\\{0,7}["']?)([0-9a-f]{32,128})/gi }],
  },
  {
    hint: /key\b/i,
    places: [
      {
        pattern:
          /(\b(?:API|access|secret|auth|encryption|signing)[ -]key(?:\s(?:is|was))?\s{0,2}[:=]?\s{1,4}["'`]?)([\w.~+/=-]{8,400})/gi,
        isSecret: looksRandom,
      },
    ],
  },
  {
    hint: /jdbc:oracle/i,
    places: [{ pattern: /(jdbc:oracle:\w{1,10}:[^\s/@"']{1,100}\/)([^\s@"']{1,200})(?=@)/gi }],
  },
  {
    hint: /:\w/,
    places: [
      // A line of a pgpass file.
      { pattern: /(^[\w.*-]{1,100}:(?:5432|5433|6432|\*):[\w*-]{1,64}:[\w*.-]{1,64}:)([^\s:]{1,200})$/gm },
      {
        pattern: /(^[\w.*-]{1,100}:\d{4,5}:[\w*-]{1,64}:[\w*.-]{1,64}:)([^\s:]{1,200})$/gm,
        isSecret: looksRandom,
      },
    ],
  },
  {
    // Routers and switches.
    hint: /enable |username |community/,
    places: [
      {
        pattern:
          /(\b(?:enable|username\s\S{1,64})\s(?:privilege\s\d{1,2}\s)?(?:secret|password)\s[05789]\s)(\S{4,200})/g,
      },
      {
        pattern:
          /(\b(?:enable|username\s\S{1,64})\s(?:privilege\s\d{1,2}\s)?(?:secret|password)\s)(\S{6,200})/g,
        isSecret: looksRandom,
      },
      { pattern: /(\bsnmp-server\s{1,4}community\s{1,4})(\S{1,200})/g },
    ],
  },
  {
    hint: /"kty"/,
    places: [{ pattern: /("(?:d|p|q|dp|dq|qi|k)"\s{0,4}:\s{0,4}")([\w-]{16,4000})(?=")/g }],
  },
  {
    hint: /"kind"\s{0,4}:\s{0,4}"Secret"/,
    places: [{ pattern: /("(?:data|stringData)"\s{0,4}:\s{0,4}\{)([^{}]{1,20000})(?=\})/g }],
  },
];

/** Programs that take a password without naming it. */
const COMMANDS: readonly Place[] = [
  {
    pattern: begun(
      /(curl\b[^\n]{0,300}?\s(?:-u|--user|-U|--proxy-user)[ =]?["']?[^\s:"']{1,100}:)([^\s"']{1,200})/g,
    ),
  },
  { pattern: begun(/(curl\b[^\n]{0,300}?\s(?:-b|--cookie)[ =]?["'][^\s"'=]{1,100}=)([^"'\n]{1,1000})/g) },
  { pattern: begun(/(curl\b[^\n]{0,300}?\s(?:-b|--cookie)[ =]?[^\s"'=]{1,100}=)([^\s"']{1,1000})/g) },
  { pattern: begun(/((?:mysql|mysqldump|mysqladmin|mariadb)\b[^\n]{0,200}?\s-p["']?)([^\s"']{1,200})/g) },
  { pattern: begun(/(sshpass\s{1,4}-p\s{0,4}["']?)([^\s"']{1,200})/g) },
  { pattern: begun(/(redis-cli\b[^\n]{0,200}?\s-a\s{1,4}["']?)([^\s"']{1,200})/g) },
  {
    pattern: begun(
      /(ldap(?:search|modify|add|delete|passwd|whoami)\b[^\n]{0,200}?\s-w\s{0,4}["']?)([^\s"']{1,200})/g,
    ),
  },
  {
    pattern: begun(
      /((?:htpasswd)\b[^\n]{0,100}?\s-\w{0,5}b\w{0,5}\s{1,4}\S{1,100}\s{1,4}\S{1,100}\s{1,4}["']?)([^\s"']{1,200})/g,
    ),
  },
  {
    pattern: begun(
      /((?:docker|podman|helm|oras)\s(?:registry )?login\b[^\n]{0,200}?\s-p\s{1,4}["']?)([^\s"']{1,200})/g,
    ),
  },
  { pattern: begun(/(az\s{1,4}login\b[^\n]{0,200}?\s-p\s{1,4}["']?)([^\s"']{1,200})/g) },
  {
    pattern: begun(
      /(echo\s{1,4}(?:-n\s{1,4})?["']?)([^\s"'|]{1,200})(?=["']?\s{0,4}\|\s{0,4}(?:sudo\s{1,4})?(?:docker|podman|helm|oras|nerdctl|buildah|skopeo|crane|gh|az|npm|heroku|vault)\s[^\n|]{0,80}?login\b)/g,
    ),
    isSecret: (word) => !isPlaceholder(word),
  },
];
const HINT_OF_COMMAND = /curl|mysql|mariadb|sshpass|redis-cli|ldap|htpasswd|login/;

/** A code or a key, and no name: letters of both cases with digits, or many digits of hex. */
function isMadeUp(word: string): boolean {
  if (!/\d/.test(word)) return false;
  return (/[a-z]/.test(word) && /[A-Z]/.test(word)) || /^[0-9a-f]{24,}$/i.test(word);
}

/** `text` with what stands where an address, a scheme, a statement or a program has its secret replaced by `mask`. */
export function maskPlaces(text: string, mask: string): string {
  let clean = text.replace(SCHEME, (all, word: string) => (isCredential(word) ? mask : all));
  if (/:\/\/|[?&]\w/.test(clean)) clean = masked(clean, IN_ADDRESSES, mask);
  for (const { hint, places } of IN_TEXT) if (hint.test(clean)) clean = masked(clean, places, mask);
  return HINT_OF_COMMAND.test(clean) ? masked(clean, COMMANDS, mask) : clean;
}

function masked(text: string, places: readonly Place[], mask: string): string {
  let clean = text;
  for (const { pattern, isSecret } of places)
    clean = clean.replace(pattern, (all, lead: string, word: string) =>
      isSecret === undefined || isSecret(word) ? `${lead}${mask}` : all,
    );
  return clean;
}
