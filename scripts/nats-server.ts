/**
 * Finds a nats-server of at least 2.10, or gets one: older ones orphan queued work after a kill. Takes NATS_SERVER where
 * it is set; else looks at the PATH, then at what it fetched before; else takes the newest from Debian's later suites,
 * whose binary also runs on older releases; NATS_SUITE names the one suite to take it from, and with it the version. The
 * fetch uses package lists of its own: the system's sources stay as they are.
 */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

const LEAST = [2, 10];
const SUITES = ["forky", "trixie"];
const caches = resolve(import.meta.dirname, "../node_modules/.cache/toolrig/nats-server");

/** By what the environment asks for: each look starts a process. */
const known = new Map<string, string>();

/** The path of a usable server. Throws with what to install when there is none and none can be had. */
export function natsServer(): string {
  const asked = JSON.stringify([process.env.NATS_SERVER, process.env.NATS_SUITE, process.env.PATH]);
  const path = known.get(asked) ?? findOrFetch();
  known.set(asked, path);
  return path;
}

function findOrFetch(): string {
  const chosen = process.env.NATS_SERVER ?? "";
  if (chosen !== "") {
    if (isUsable(chosen)) return chosen;
    throw new Error(`NATS_SERVER is ${chosen}, which does not run here or is older than ${LEAST.join(".")}.`);
  }
  const wanted = process.env.NATS_SUITE ?? "";
  const cache = join(caches, wanted === "" ? "newest" : wanted);
  const fetched = join(cache, "root/usr/sbin/nats-server");
  const installed = wanted === "" ? ["nats-server", "/usr/sbin/nats-server"] : [];
  for (const candidate of [...installed, fetched]) {
    if (isUsable(candidate)) return candidate;
  }
  const problems: string[] = [];
  for (const suite of wanted === "" ? SUITES : [wanted]) {
    console.error(`No nats-server of at least ${LEAST.join(".")} found; getting one from Debian ${suite} …`);
    try {
      fetchFrom(suite, cache);
      if (isUsable(fetched)) return fetched;
      problems.push(`${suite}: the binary does not run here or is too old`);
    } catch (error) {
      problems.push(`${suite}: ${error instanceof Error ? error.message.split("\n")[0] : String(error)}`);
    }
  }
  throw new Error(
    `nats-server ${LEAST.join(".")} or later is needed and could not be fetched (${problems.join("; ")}). ` +
      "Install it, put it on the PATH or set NATS_SERVER to its path.",
  );
}

function isUsable(path: string): boolean {
  try {
    const printed = execFileSync(path, ["--version"], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
    const [major = 0, minor = 0] = (/v(\d+)\.(\d+)/.exec(printed) ?? []).slice(1).map(Number);
    return major > LEAST[0]! || (major === LEAST[0] && minor >= LEAST[1]!);
  } catch {
    return false;
  }
}

/** Beside its place, and then at once into it: others may fetch it or run it meanwhile. */
function fetchFrom(suite: string, place: string): void {
  const cache = `${place}.${process.pid}`;
  try {
    fetchInto(cache, suite);
    rmSync(place, { recursive: true, force: true });
    renameSync(cache, place);
  } finally {
    rmSync(cache, { recursive: true, force: true });
  }
}

function fetchInto(cache: string, suite: string): void {
  rmSync(cache, { recursive: true, force: true });
  for (const folder of ["lists/partial", "archives/partial", "root"])
    mkdirSync(join(cache, folder), { recursive: true });
  const { uri, keyring } = debianMirror();
  writeFileSync(join(cache, "sources.list"), `deb [signed-by=${keyring}] ${uri} ${suite} main\n`);
  const options = [
    `Dir::Etc::sourcelist=${join(cache, "sources.list")}`,
    "Dir::Etc::sourceparts=-",
    "Dir::Etc::preferences=-",
    "Dir::Etc::preferencesparts=-",
    `Dir::State::lists=${join(cache, "lists")}`,
    `Dir::Cache=${cache}`,
    "APT::Sandbox::User=root",
  ].flatMap((option) => ["-o", option]);
  const run = (command: string, args: string[]) =>
    execFileSync(command, args, { cwd: cache, stdio: ["ignore", "ignore", "pipe"], timeout: 300_000 });
  run("apt-get", [...options, "update"]);
  run("apt-get", [...options, "download", `nats-server/${suite}`]);
  const archive = readdirSync(cache).find((file) => file.endsWith(".deb"));
  if (archive === undefined) throw new Error("nothing was downloaded");
  run("dpkg-deb", ["-x", archive, "root"]);
}

/** The mirror this machine uses itself. */
function debianMirror(): { uri: string; keyring: string } {
  const folder = "/etc/apt/sources.list.d";
  const files = [
    "/etc/apt/sources.list",
    ...(existsSync(folder) ? readdirSync(folder).map((file) => join(folder, file)) : []),
  ];
  for (const file of files.filter((each) => existsSync(each))) {
    const uri = /(?:^URIs:|^deb\s+(?:\[[^\]]*\]\s+)?)\s*(\S+\/debian)\/?(?:\s|$)/m.exec(
      readFileSync(file, "utf8"),
    )?.[1];
    if (uri !== undefined) return { uri, keyring: "/usr/share/keyrings/debian-archive-keyring.gpg" };
  }
  throw new Error("this machine has no Debian package source");
}

if (import.meta.main) console.log(natsServer());
