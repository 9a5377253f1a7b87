import type { Shape } from "./secrets.ts";

/** Secrets in the places where they are used. None of them is real. */

const WORD = `sword${"fish"}`;
const CHOSEN = `Tr0ub4dor${"x9"}Qz`;
const HEX = "0a9b8c7d6e5f4a3b2c1d0e9f8a7b6c5d";
const ALNUM = "aZ3bY8cX1dW6eV9fU2gT7hS4iR5jQ0kP";
const SALTED = `${ALNUM}${ALNUM}`.slice(0, 53);

function place(what: string, given: (secret: string) => unknown, secret = WORD): Shape {
  return { what, given: given(secret), secret };
}

function encodedKey(kind: string): string {
  return btoa(`-----BEGIN ${kind}PRIVATE KEY-----\n${ALNUM.repeat(8)}\n-----END ${kind}PRIVATE KEY-----\n`);
}

export const PLACES: readonly Shape[] = [
  place(
    "a bot's address",
    (x) => `POST https://api.telegram.org/bot123456789:AA${x}a/sendMessage failed`,
    ALNUM,
  ),
  place("a YAML block behind words", (x) => `request failed: password: |\n    ${x}\nretrying`),
  place("a folded block behind words", (x) => `ERROR config: secret: >-\n  ${x}\n`),
  place(
    "digest behind words",
    (x) => `failed: Authorization: Digest username="a", uri="/", response="${x}"`,
    HEX,
  ),
  place("digest alone", (x) => `sent Digest username="a", realm="r", nonce="n", response="${x}"`, HEX),
  ...["", "RSA ", "EC ", "OPENSSH ", "ENCRYPTED "].map((kind) =>
    place(`an encoded ${kind}key`, (x) => `users:\n- name: a\n  user:\n    tls: ${x}\n`, encodedKey(kind)),
  ),
  place("a kubeconfig", (x) => `    client-key-data: ${x}\n`, `${ALNUM}==`),
  place("a role", (x) => `CREATE ROLE app WITH LOGIN PASSWORD '${x}'`),
  place("a user", (x) => `CREATE USER app WITH PASSWORD '${x}';`),
  place("a changed user", (x) => `alter user app with encrypted password '${x}'`),
  place("a user of MySQL", (x) => `CREATE USER 'a'@'%' IDENTIFIED BY '${x}'`),
  place(
    "a user of MySQL with a plugin",
    (x) => `ALTER USER a IDENTIFIED WITH mysql_native_password BY '${x}'`,
  ),
  place("a user of Oracle", (x) => `CREATE USER a IDENTIFIED BY "${x}"`),
  place("a secure string", (x) => `$p = ConvertTo-SecureString "${x}" -AsPlainText -Force`),
  place("a secure string by name", (x) => `ConvertTo-SecureString -String '${x}' -AsPlainText -Force`),
  place("a default of Terraform", (x) => `variable "db_password" {\n  type = string\n  default = "${x}"\n}`),
  place(
    "a manifest",
    (x) => `apiVersion: v1\nkind: Secret\nmetadata:\n  name: a\ndata:\n  tls: ${x}\n`,
    btoa(CHOSEN),
  ),
  place("a manifest as JSON", (x) => `{"kind":"Secret","data":{"tls":"${x}"}}`, btoa(CHOSEN)),
  place("a manifest as a value", (x) => ({ kind: "Secret", data: { tls: x } }), btoa(CHOSEN)),
  place("curl -b", (x) => `curl -b "sid=${x}; theme=dark" https://x.example`),
  place("curl --cookie", (x) => `curl -s --cookie sid=${x} https://x.example`),
  place("ldapsearch", (x) => `ldapsearch -x -D cn=admin -w ${x} -b dc=example`),
  place("az login", (x) => `az login --service-principal -u app -p ${x} --tenant t`),
  place("echo into a login", (x) => `echo ${x} | docker login -u ada --password-stdin`),
  place("echo into a login, quoted", (x) => `echo -n "${x}" | sudo podman registry login r`),
  place("an Oracle address", (x) => `jdbc:oracle:thin:app/${x}@db.example.com:1521/x`),
  place(
    "a signed address",
    (x) => `https://storage.example.com/b/o?GoogleAccessId=a&Expires=1&Signature=${x}`,
    ALNUM,
  ),
  place("a token as the user", (x) => `git clone https://${x}@git.example.com/r.git`, ALNUM),
  place("a key in a query", (x) => `https://maps.example.com/api?q=a&key=${x}`, ALNUM),
  place("a code in a query", (x) => `GET /callback?code=${x}&state=1`, ALNUM),
  place("a sentence with an API key", (x) => `Your API key: ${x} (keep it)`, CHOSEN),
  place("a sentence that says an API key", (x) => `the api key is ${x}`, CHOSEN),
  place("a pgpass line", (x) => `db.example.com:5432:app:ada:${x}`),
  place("a pgpass line for all", (x) => `*:*:*:ada:${x}\n`),
  place(
    "a shadow line",
    (x) => `root:$6$saltsalt$${x}:19000:0:99999:7:::`,
    `${ALNUM}${ALNUM}${ALNUM}`.slice(0, 86),
  ),
  place("a shadow line of yescrypt", (x) => `a:$y$j9T$saltsaltsalt$${x}:19000::`, `${ALNUM}abcdefghijk`),
  place("htpasswd", (x) => `ada:$apr1$saltsalt$${x}`, ALNUM.slice(0, 22)),
  place("htpasswd with SHA", (x) => `ada:{SHA}${x}=`, ALNUM.slice(0, 27)),
  place("bcrypt", (x) => `hash is $2b$12$${x}`, SALTED),
  place("argon2", (x) => `$argon2id$v=19$m=65536,t=3,p=4$c2FsdA$${x}`, ALNUM),
  place("a wireless network", (x) => `network={\n  ssid="home"\n  psk="${x}"\n}`),
  place("a preshared key", (x) => `PresharedKey = ${x}=`, ALNUM),
  place("a router's password", (x) => `username bob privilege 15 password 7 ${x}`, "0822455D0A16544541"),
  place("a router's secret", (x) => `enable secret 5 $1$abcd$${x}`, ALNUM.slice(0, 22)),
  place("a router's password in clear", (x) => `enable password ${x}`, CHOSEN),
  place("a community", (x) => `snmp-server community ${x} RO`),
];
