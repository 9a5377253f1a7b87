import { PLACES } from "./places.ts";

/**
 * Texts and values that hold a secret, in the shapes in which logs, arguments and results have them. None of them is real:
 * they are put together here, so that nobody who looks for leaked keys finds one.
 */

/** A secret that somebody chose, and some that are harder to see the end of. */
const CHOSEN = `Tr0ub4dor${"x9"}Qz`;
const WORD = `sword${"fish"}`;
const ODD = `p@ss/w0rd${"!x"}`;

const ALPHABETS = {
  alnum: "aZ3bY8cX1dW6eV9fU2gT7hS4iR5jQ0kP",
  hex: "0a9b8c7d6e5f4a3b2c1d0e9f8a7b6c5d",
  upper: "A3B8C1D6E9F2G7H4J5K0L3M8N1P6Q9R2",
  letters: "aZbYcXdWeVfUgThSiRjQkPlOmNnMoLpK",
};

/** `length` characters that look made up by a machine. */
function fake(length: number, alphabet: keyof typeof ALPHABETS = "alnum"): string {
  return ALPHABETS[alphabet].repeat(Math.ceil(length / 32)).slice(0, length);
}

export interface Shape {
  what: string;
  /** What is given to the redactor: a text, or a value of arguments. */
  given: unknown;
  /** What must not be in what comes back. */
  secret: string;
}

const LEAD = "The key is ";

/** A secret of a vendor, inside a sentence. */
function vendor(what: string, prefix: string, rest: string): Shape {
  return { what, given: `${LEAD}${prefix}${rest}, do not share it.`, secret: rest };
}

function chosen(what: string, given: (secret: string) => unknown, secret = CHOSEN): Shape {
  return { what, given: given(secret), secret };
}

const VENDORS: readonly Shape[] = [
  vendor("OpenAI", "sk-", fake(48)),
  vendor("OpenAI project", "sk-proj-", fake(60)),
  vendor("Anthropic", "sk-ant-api03-", fake(80)),
  vendor("OpenRouter", "sk-or-v1-", fake(64, "hex")),
  vendor("Langfuse", "sk-lf-", fake(36, "hex")),
  vendor("Stripe live", "sk_live_", fake(24)),
  vendor("Stripe test", "sk_test_", fake(24)),
  vendor("Stripe restricted", "rk_live_", fake(24)),
  vendor("Stripe webhook", "whsec_", fake(32)),
  vendor("ElevenLabs", "sk_", fake(48, "hex")),
  vendor("GitHub personal", "ghp_", fake(36)),
  vendor("GitHub OAuth", "gho_", fake(36)),
  vendor("GitHub user", "ghu_", fake(36)),
  vendor("GitHub server", "ghs_", fake(36)),
  vendor("GitHub refresh", "ghr_", fake(36)),
  vendor("GitHub fine-grained", "github_pat_", `${fake(22)}_${fake(59)}`),
  vendor("GitLab personal", "glpat-", fake(20)),
  vendor("GitLab deploy", "gldt-", fake(20)),
  vendor("GitLab runner", "glrt-", fake(20)),
  vendor("GitLab pipeline trigger", "glptt-", fake(40, "hex")),
  vendor("npm", "npm_", fake(36)),
  vendor("PyPI", "pypi-", `AgEIcHlwaS5vcmc${fake(60)}`),
  vendor("RubyGems", "rubygems_", fake(48, "hex")),
  vendor("Hugging Face", "hf_", fake(34, "letters")),
  vendor("Slack bot", "xoxb-", `123456789012-${fake(24)}`),
  vendor("Slack user", "xoxp-", `123456789012-${fake(32)}`),
  vendor("Slack app", "xapp-", `1-A012-${fake(30)}`),
  vendor(
    "Slack hook",
    "https://hooks.slack.com/services/",
    `T0${fake(8, "upper")}/B0${fake(8, "upper")}/${fake(24)}`,
  ),
  vendor("Discord hook", "https://discord.com/api/webhooks/123456789012345678/", fake(68)),
  vendor("Discord bot", "", `M${fake(23)}.${fake(6)}.${fake(30)}`),
  vendor("Telegram bot", "12345678:AA", fake(33)),
  vendor("AWS access key", "AKIA", fake(16, "upper")),
  vendor("AWS temporary key", "ASIA", fake(16, "upper")),
  vendor("Google API", "AIza", fake(35)),
  vendor("Google access", "ya29.", fake(60)),
  vendor("Google refresh", "1//0", fake(40)),
  vendor("Google client secret", "GOCSPX-", fake(28)),
  vendor("Azure client secret", "", `abc8Q~${fake(34)}`),
  vendor("SendGrid", "SG.", `${fake(22)}.${fake(43)}`),
  vendor("Twilio", "SK", fake(32, "hex")),
  vendor("Mailgun", "key-", fake(32, "hex")),
  vendor("Mailchimp", "", `${fake(32, "hex")}-us12`),
  vendor("Brevo", "xkeysib-", fake(64, "hex")),
  vendor("Shopify", "shpat_", fake(32, "hex")),
  vendor("Square", "sq0atp-", fake(22)),
  vendor("DigitalOcean", "dop_v1_", fake(64, "hex")),
  vendor("Heroku", "HRKU-", fake(36)),
  vendor("Linear", "lin_api_", fake(40)),
  vendor("Notion", "ntn_", fake(46)),
  vendor("Airtable", "pat", `${fake(14)}.${fake(64, "hex")}`),
  vendor("Databricks", "dapi", fake(32, "hex")),
  vendor("Doppler", "dp.pt.", fake(43)),
  vendor("Vault", "hvs.", fake(90)),
  vendor("Terraform", "", `${fake(14)}.atlasv1.${fake(67)}`),
  vendor("Grafana", "glsa_", `${fake(32)}_${fake(8, "hex")}`),
  vendor("New Relic", "NRAK-", fake(27, "upper")),
  vendor("Sentry", "sntrys_", fake(60)),
  vendor("Postman", "PMAK-", fake(59, "hex")),
  vendor("Pulumi", "pul-", fake(40, "hex")),
  vendor("PlanetScale", "pscale_tkn_", fake(43)),
  vendor("Fly", "fo1_", fake(43)),
  vendor("Dropbox", "sl.", fake(130)),
  vendor("Atlassian", "ATATT3", fake(180)),
  vendor("Figma", "figd_", fake(40)),
  vendor("age", "AGE-SECRET-KEY-1", fake(58, "upper")),
  vendor("Docker", "dckr_pat_", fake(27)),
  vendor("Groq", "gsk_", fake(52)),
  vendor("xAI", "xai-", fake(80)),
  vendor("Perplexity", "pplx-", fake(48)),
  vendor("Replicate", "r8_", fake(37)),
  vendor("NVIDIA", "nvapi-", fake(64)),
  vendor("Pinecone", "pcsk_", fake(60)),
  vendor("LangSmith", "lsv2_pt_", `${fake(32, "hex")}_${fake(10, "hex")}`),
  vendor("Tavily", "tvly-", fake(32)),
  vendor("Tailscale", "tskey-", `auth-${fake(11)}-${fake(32)}`),
  vendor("Supabase", "sbp_", fake(40, "hex")),
  vendor("Netlify", "nfp_", fake(36)),
  vendor("Sourcegraph", "sgp_", fake(40, "hex")),
  vendor("CircleCI", "CCIPAT_", `${fake(22)}_${fake(40, "hex")}`),
  vendor("Buildkite", "bkua_", fake(40, "hex")),
  vendor("SonarQube", "squ_", fake(40, "hex")),
  vendor("Contentful", "CFPAT-", fake(43)),
  vendor("Dynatrace", "dt0c01.", `${fake(24, "upper")}.${fake(64, "upper")}`),
  vendor("Mapbox", "sk.eyJ", `${fake(60)}.${fake(22)}`),
  vendor("Artifactory", "AKCp", fake(69)),
  vendor("Facebook", "EAA", fake(120)),
  vendor("a JSON web token", "eyJ", `${fake(20)}.${fake(60)}.${fake(43)}`),
  vendor("an encrypted web token", "eyJ", `${fake(20)}..${fake(16)}.${fake(40)}.${fake(22)}`),
  {
    what: "a private key",
    given: `cert:\n-----BEGIN ${"RSA"} PRIVATE KEY-----\n${fake(400)}\n-----END RSA PRIVATE KEY-----\n`,
    secret: fake(100),
  },
  {
    what: "an OpenSSH key that was cut off",
    given: `-----BEGIN ${"OPENSSH"} PRIVATE KEY-----\n${fake(300)}`,
    secret: fake(100),
  },
  {
    what: "a PGP key",
    given: `-----BEGIN ${"PGP"} PRIVATE KEY BLOCK-----\n\n${fake(300)}\n-----END PGP PRIVATE KEY BLOCK-----`,
    secret: fake(100),
  },
];

const NAMED: readonly Shape[] = [
  chosen("an environment file, double quotes", (x) => `HOST=db\nDB_PASSWORD="${x}"\nPORT=1`),
  chosen("an environment file, single quotes", (x) => `DB_PASSWORD='${x}'`),
  chosen("an environment file, no quotes", (x) => `DB_PASSWORD=${x}\nPORT=1`),
  chosen("an environment file, a word", (x) => `DB_PASSWORD=${x}\n`, WORD),
  chosen("an environment file, with spaces in quotes", (x) => `DB_PASSWORD="${x}"`, "correct horse battery"),
  chosen("export", (x) => `export API_TOKEN=${x}`),
  chosen("export, quoted", (x) => `export API_TOKEN="${x}" && run`),
  chosen("PowerShell", (x) => `$env:API_KEY = "${x}"`),
  chosen("a Dockerfile", (x) => `ENV API_SECRET=${x}`),
  chosen("an npmrc", (x) => `//registry.npmjs.org/:_authToken=${x}`),
  chosen("a pgpass variable", (x) => `PGPASSWORD=${x} psql -h db`),
  chosen("JSON", (x) => `{"user":"ada","password":"${x}"}`),
  chosen("JSON with spaces", (x) => `{ "password" : "${x}" , "a": 1 }`),
  chosen("JSON with an escaped quote", (x) => `{"password":"a\\"${x}","b":1}`),
  chosen("JSON that was cut off", (x) => `{"password":"${x}`),
  chosen("JSON inside JSON", (x) => JSON.stringify({ body: JSON.stringify({ password: x }) })),
  chosen("JSON inside JSON inside JSON", (x) =>
    JSON.stringify({ a: JSON.stringify({ b: JSON.stringify({ api_key: x, c: 1 }) }) }),
  ),
  chosen("JSON inside JSON with a quote in the secret", (x) =>
    JSON.stringify({ body: JSON.stringify({ token: `a"${x}` }) }),
  ),
  chosen("a number", (x) => `{"token": ${x}, "a": 1}`, "8675309123"),
  chosen("a Python dictionary", (x) => `{'user': 'ada', 'password': '${x}'}`),
  chosen("a Python bytes literal", (x) => `{'secret': b'${x}'}`),
  chosen("a Python keyword", (x) => `connect(host="db", password="${x}")`),
  chosen("a Python assignment", (x) => `api_key = "${x}"`),
  chosen("a JavaScript constant", (x) => `const apiKey = "${x}";`),
  chosen("a JavaScript object", (x) => `{ user: "ada", password: "${x}" }`),
  chosen("a template string", (x) => `const token = \`${x}\`;`),
  chosen("Ruby", (x) => `config = { :password => "${x}" }`),
  chosen("PHP", (x) => `$conf['password'] = '${x}'; array('db_password' => '${x}')`),
  chosen("Go", (x) => `password := "${x}"`),
  chosen("Java properties", (x) => `spring.datasource.password=${x}`),
  chosen("an INI file", (x) => `[db]\nuser = ada\npassword = ${x}\n`),
  chosen("an INI file, a word", (x) => `[db]\npassword = ${x}\n`, WORD),
  chosen("YAML", (x) => `db:\n  user: ada\n  password: ${x}\n`),
  chosen("YAML, a word", (x) => `db:\n  password: ${x}\n`, WORD),
  chosen("YAML, quoted", (x) => `password: "${x}"`),
  chosen("YAML in a list", (x) => `users:\n- password: ${x}\n`),
  chosen("YAML with a comment", (x) => `api_key: ${x}   # rotate`, WORD),
  chosen("TOML", (x) => `[auth]\nclient_secret = "${x}"`),
  chosen("HCL", (x) => `variable { master_password = "${x}" }`),
  chosen("XML", (x) => `<db><user>ada</user><password>${x}</password></db>`),
  chosen("XML with an attribute", (x) => `<user name="ada" password="${x}"/>`),
  chosen("an app setting", (x) => `<add key="ApiSecret" value="${x}" />`),
  chosen("a query", (x) => `GET /v1/items?user=ada&api_key=${x}&page=2`),
  chosen("an access token in a query", (x) => `https://x.example/cb?access_token=${x}#top`),
  chosen("a form", (x) => `grant_type=password&username=ada&password=${x}`),
  chosen("a signed address", (x) => `https://acc.blob.example/c/f?sv=2022&sig=${x}`),
  chosen("a connection string", (x) => `Server=db;User Id=sa;Password=${x};Encrypt=true`),
  chosen("an ODBC string", (x) => `Driver=x;Uid=sa;Pwd=${x};`),
  chosen("a storage account", (x) => `AccountName=a;AccountKey=${x}==;EndpointSuffix=x`, fake(60)),
  chosen("a header", (x) => `GET / HTTP/1.1\nX-Api-Key: ${x}\nAccept: */*`),
  chosen("a cookie", (x) => `Cookie: sid=${x}; theme=dark`),
  chosen("a set-cookie", (x) => `Set-Cookie: session=${x}; Path=/; HttpOnly`),
  chosen("authorization with a token", (x) => `Authorization: Token ${x}`),
  chosen("authorization with a bearer", (x) => `Authorization: Bearer ${x}${x}`),
  chosen("authorization without a scheme", (x) => `authorization: ${x}`),
  chosen("basic authorization", (x) => `Authorization: Basic ${btoa(`ada:${x}`)}`, CHOSEN),
  chosen(
    "digest authorization",
    (x) => `Authorization: Digest username="ada", response="${x}"`,
    fake(32, "hex"),
  ),
  chosen("proxy authorization", (x) => `Proxy-Authorization: Basic ${x}==`, fake(24)),
  chosen("a curl header", (x) => `curl -H "X-Auth-Token: ${x}" https://x.example`),
  chosen(
    "a curl header, single quotes",
    (x) => `curl -H 'Authorization: Bearer ${x}' https://x.example`,
    fake(40),
  ),
  chosen("curl -u", (x) => `curl -u ada:${x} https://x.example`),
  chosen("curl --user", (x) => `curl -s --user "ada:${x}" https://x.example`),
  chosen("an option", (x) => `login --user ada --password ${x} --force`),
  chosen("an option, a word", (x) => `login --password ${x}`, WORD),
  chosen("an option with =", (x) => `login --password=${x} --force`),
  chosen("an option, quoted", (x) => `login --token "${x}"`),
  chosen("an option with one dash", (x) => `java -jar a.jar -password ${x}`),
  chosen("mysql -p", (x) => `mysql -u root -p${x} db`),
  chosen("sshpass", (x) => `sshpass -p '${x}' ssh host`),
  chosen("redis-cli", (x) => `redis-cli -h r -a ${x} PING`),
  chosen("docker login", (x) => `docker login -u ada -p ${x} registry`),
  chosen("an address", (x) => `postgres://app:${x}@db.example.com/x`),
  chosen("an address without a user", (x) => `redis://:${x}@cache:6379/0`),
  chosen("an address with / and @ in the password", (x) => `mongodb://app:${x}@db.example.com/x`, ODD),
  chosen("an address of a repository", (x) => `git clone https://ada:${x}@git.example.com/r.git`),
  chosen("a Java address", (x) => `jdbc:mysql://db/x?user=a&password=${x}`),
  chosen("a log line", (x) => `12:00:01 INFO login user=ada password=${x} ip=10.0.0.1`),
  chosen("a sentence with a random word", (x) => `Your new password: ${x} (change it soon)`),
  chosen("logfmt", (x) => `level=info token="${x}" msg=ok`),
  chosen("a name and a value", (x) => `{"name":"DB_PASSWORD","value":"${x}"}`),
  chosen("a value and a name", (x) => `[{"value":"${x}","name":"API_TOKEN"}]`),
  chosen(
    "a Kubernetes manifest",
    (x) => `env:\n- name: DB_HOST\n  value: db\nstringData:\n  password: ${x}\n`,
  ),
];

/** Names and secrets with a line, a type, a call or a mark between them. */
const APART: readonly Shape[] = [
  chosen("a YAML block", (x) => `db:\n  password: |\n    ${x}\n  user: ada`, WORD),
  chosen("a folded YAML block", (x) => `secret: >-\n  ${x}\nuser: ada`, WORD),
  chosen("a YAML block of several lines", (x) => `api_key: |-\n  first\n\n  ${x}\nuser: ada`),
  chosen("YAML on the next line", (x) => `password:\n  ${x}\nuser: ada`, WORD),
  chosen("a YAML list", (x) => `passwords:\n  - first\n  - ${x}\nuser: ada`, WORD),
  chosen("a YAML list that is not indented", (x) => `db:\n  passwords:\n  - ${x}\n`, WORD),
  chosen("a YAML list of secrets", (x) => `secrets:\n  - ${x}\n`),
  chosen("YAML with several words", (x) => `user: ada\npassword: ${x}\n`, "correct horse battery staple"),
  chosen("YAML with an anchor", (x) => `password: &pw ${x}`, WORD),
  chosen("YAML with a tag", (x) => `password: !!str ${x}`, WORD),
  chosen("a YAML name and value", (x) => `env:\n  - name: DB_PASSWORD\n    value: ${x}\n`, WORD),
  chosen("a YAML name and value, quoted", (x) => `env:\n- name: API_TOKEN\n  value: "${x}"\n`, WORD),
  chosen("a typed declaration", (x) => `let password: string = "${x}";`, WORD),
  chosen("a typed field", (x) => `  readonly apiKey?: string | undefined = '${x}'`, WORD),
  chosen("a Python annotation", (x) => `password: Optional[str] = "${x}"`, WORD),
  chosen("three quotes", (x) => `password = """${x}"""`, WORD),
  chosen("three single quotes", (x) => `api_key = '''${x}'''`, WORD),
  chosen("define", (x) => `define('DB_PASSWORD','${x}');`, WORD),
  chosen("define with spaces", (x) => `define( "AUTH_SECRET", "${x}" );`, WORD),
  chosen("a header that is set", (x) => `headers.set("X-Api-Key", "${x}")`, WORD),
  chosen("a preprocessor's", (x) => `#define PASSWORD "${x}"`, WORD),
  chosen("a setter", (x) => `client.setPassword("${x}");`, WORD),
  chosen("a builder", (x) => `.withApiKey('${x}')`, WORD),
  ...["MY_PASSWORD_PROD", "API_KEY_STAGING", "JWT_SECRET_OLD", "db_password_test"].map((name) =>
    chosen(`the variable ${name}`, (x) => `${name}=${x}\n`, name === name.toUpperCase() ? WORD : CHOSEN),
  ),
  chosen("the variable TOKEN_GITHUB", (x) => `TOKEN_GITHUB=${x}\n`),
  chosen("the variable SECRET_STRIPE", (x) => `export SECRET_STRIPE="${x}"`),
  chosen("an option in a list", (x) => ({ args: ["login", "--password", x] }), WORD),
  chosen("an option in JSON", (x) => `{"args":["login","--password","${x}"]}`, WORD),
  chosen("an object of JSON under a name", (x) => `{"credentials":{"user":"ada","key":"${x}"}}`, WORD),
  chosen("an escaped name", (x) => `{"pass\\u0077ord":"${x}"}`, WORD),
  chosen("a name that is all escaped", (x) => `{"\\u0074\\u006f\\u006b\\u0065\\u006e": "${x}"}`, WORD),
  chosen("a query inside of a query", (x) => `/go?to=https%3A%2F%2Fx%3Faccess_token%3D${x}%26a%3D1`, WORD),
  chosen("a query inside of two", (x) => `/go?to=x%253Fa%253D1%2526api_key%253D${x}`, WORD),
  chosen("a subscription key", (x) => `Ocp-Apim-Subscription-Key: ${x}\nAccept: */*`, WORD),
  chosen("a function key", (x) => `X-Functions-Key: ${x}\n`, WORD),
  chosen("a session in a path", (x) => `https://x.example/a;jsessionid=${x}?b=1`),
  chosen("a signature in a query", (x) => `https://x.example/a?X-Amz-Signature=${x}&b=1`, fake(64, "hex")),
  chosen("a sentence with a word in quotes", (x) => `my password is "${x}", keep it`, WORD),
  chosen("a Markdown field", (x) => `- **User:** ada\n- **Password:** ${x}\n`, WORD),
  chosen("a Markdown field as code", (x) => `**API key**: \`${x}\``, WORD),
];

const VALUES: readonly Shape[] = [
  ...[
    "password",
    "passwd",
    "passphrase",
    "passwords",
    "secret",
    "secrets",
    "token",
    "tokens",
    "apiKey",
    "apiKeys",
    "api-keys",
    "x-api-key",
    "pass",
    "pwd",
    "auth",
    "password_1",
    "password2",
    "clientSecret",
    "client_secrets",
    "refresh_token",
    "accessToken",
    "private_key",
    "aws_secret_access_key",
    "credentials",
    "sessionId",
    "jwt",
    "DB.PASSWORD",
    "encryption-key",
  ].map((key) => chosen(`the key ${key}`, (x) => ({ deep: [{ [key]: x }] }))),
  chosen("a list under a key", (x) => ({ tokens: [x, "b"] })),
  chosen("an object under a key", (x) => ({ secrets: { a: x } })),
  chosen("a name and its value", (x) => ({ env: [{ name: "DB_PASSWORD", value: x }] })),
  chosen("a key and its value", (x) => ({ key: "api_token", value: x })),
  chosen("JSON in a value", (x) => ({ body: JSON.stringify({ password: x }) })),
  { what: "a secret as a key", given: { keys: { [`ghp_${fake(36)}`]: true } }, secret: fake(36) },
  chosen("a map", (x) => new Map([["password", x]])),
  chosen("an error", (x) => new Error(`connect ECONNREFUSED postgres://a:${x}@h`)),
];

/** Behind what looks like a letter or a digit and is the end of an escape. */
const ESCAPED: readonly Shape[] = [
  ...[...VENDORS, ...NAMED, ...APART, ...PLACES].flatMap(({ what, given, secret }) => {
    if (typeof given !== "string") return [];
    const stdout = `$ show\n${given.replace(LEAD, "")}`;
    return [
      { what: `${what}, on a line in an object`, given: JSON.stringify({ stdout, code: 0 }), secret },
      {
        what: `${what}, on a line in JSON in an object`,
        given: JSON.stringify({ body: JSON.stringify({ stdout, code: 0 }) }),
        secret,
      },
    ];
  }),
  ...VENDORS.filter(({ given }) => String(given).startsWith(LEAD)).flatMap(({ what, given, secret }) =>
    ["%20", "%3D", "%0a", "a\\t", "\\u0022", "\\u003d"].map((sign) => ({
      what: `${what}, behind ${sign}`,
      given: `https://x.example/?q=${sign}${String(given).slice(LEAD.length)}`,
      secret,
    })),
  ),
];

export const SECRETS: readonly Shape[] = [...VENDORS, ...NAMED, ...APART, ...PLACES, ...VALUES, ...ESCAPED];
