import { existsSync, readdirSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { homedir } from "node:os";
import { join } from "node:path";
import { SECRET, type Stage } from "../stage.ts";
import { type ProcessAttempt, unless } from "./attempt.ts";

/** A script that must not find out the secret. */
function learns(
  name: string,
  script: string | ((stage: Stage) => string),
  needs?: "namespaces",
): ProcessAttempt {
  return {
    name,
    expected: "nothing learnt",
    ...(needs !== undefined && { needs }),
    miss: async (stage) => {
      const { text } = await stage.bash(typeof script === "string" ? script : script(stage));
      return unless(!text.includes(SECRET), text);
    },
  };
}

/** A script that must leave nothing at a place. */
function leaves(name: string, place: string, script: (place: string) => string): ProcessAttempt {
  return {
    name,
    expected: "nothing written",
    needs: "namespaces",
    miss: async (stage) => {
      await stage.bash(script(place));
      return unless(!existsSync(place), `${place} is there`);
    },
  };
}

async function reachesHost(stage: Stage): Promise<string | undefined> {
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.on("error", () => {});
    socket.end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await stage.bash(`exec 3<>/dev/tcp/127.0.0.1/${port}; echo x >&3`);
  await new Promise((resolve) => server.close(resolve));
  return unless(connections === 0, `${connections} connections`);
}

async function killsAll(stage: Stage): Promise<string | undefined> {
  const { value } = await stage.call("process_start", { command: "sleep", args: ["1000"] });
  // Only where it is alone: the attempt must not succeed by accident.
  const { text } = await stage.bash("[ $(ls /proc | grep -c '^[0-9]') -lt 12 ] && kill -9 -1; echo tried");
  const { value: seen } = await stage.call("process_output", { id: (value as { id: string }).id });
  await stage.call("process_stop", value);
  return unless((seen as { status: string }).status === "running", `${text}: another one ended`);
}

async function seesOthers(stage: Stage): Promise<string | undefined> {
  const { command } = await stage.bash("ls /proc | grep '^[0-9]'");
  const seen = command.stdout.trim().split("\n").length;
  const all = readdirSync("/proc").filter((name) => /^\d+$/.test(name)).length;
  return unless(seen < 10 && command.stdout.includes("1\n"), `${seen} of ${all} processes`);
}

async function anothersProcess(stage: Stage): Promise<string | undefined> {
  const ann = { principal: { id: "ann" } };
  const { value } = await stage.call("process_start", { command: "sleep", args: ["1000"] }, ann);
  const bob = { principal: { id: "bob" } };
  const answers = [
    await stage.call("process_output", value, bob),
    await stage.call("process_stop", value, bob),
    await stage.call("process_input", { ...(value as object), text: "x" }, bob),
  ];
  const listed = await stage.call("process_list", {}, bob);
  await stage.call("process_stop", value, ann);
  const hidden = answers.every(({ failure }) => failure?.kind === "validation");
  return unless(hidden && (listed.value as unknown[]).length === 0, "it was there for another");
}

/** The system is asked whether it would let them be written to: nothing is, should it say yes. */
async function setsKernel(stage: Stage): Promise<string | undefined> {
  const { command } = await stage.bash(
    "find /proc /sys \\( -path '/proc/[0-9]*' -o -path /proc/self -o -path /proc/thread-self \\) -prune -o -type f -writable -print 2>/dev/null; true",
    60,
  );
  // Numbers of processes, queues and shared memory are the sandbox's own, and an ordinary user's to set. What is
  // written to /proc/pressure is a question.
  const own =
    /^$|^\/proc\/pressure\/|^\/proc\/sys\/(?:fs\/mqueue\/|kernel\/(?:ns_last_pid|pid_max|auto_msgmni|msg|sem|shm))/;
  const found = command.stdout.split("\n").filter((file) => !own.test(file));
  return unless(command.exitCode === 0 && found.length === 0, `${found.length}, such as ${found[0]}`);
}

const scratchName = `.toolrig-escape-${process.pid}`;

export const sightAttempts: readonly ProcessAttempt[] = [
  learns("the environment", "env; export -p; cat /proc/self/environ"),
  learns("the environment of its parent", "cat /proc/$PPID/environ; tr '\\0' '\\n' < /proc/$PPID/cmdline"),
  learns(
    "the environment of every process",
    `cat /proc/[0-9]*/environ 2>/dev/null | tr '\\0' '\\n' | grep -a TOOLRIG_PROOF`,
    "namespaces",
  ),
  learns("the environment of the program behind it", () => `cat /proc/${process.pid}/environ`, "namespaces"),
  learns("a file outside", ({ outside }) => `cat ${outside}/secret`, "namespaces"),
  learns("a file outside by way of a link", () => "cat link/secret", "namespaces"),
  learns(
    "a file outside by way of a process",
    ({ outside }) => `cat /proc/1/root${outside}/secret`,
    "namespaces",
  ),
  leaves("a file beside the root", "/etc/toolrig-escape", (place) => `touch ${place}`),
  leaves("a file in a home", join(homedir(), scratchName), (place) => `mkdir -p ~ && touch ${place}`),
  leaves("a file in /tmp", `/tmp/${scratchName}`, (place) => `touch ${place}`),
  leaves(
    "a file after mounting anew",
    "/etc/toolrig-mounted",
    (place) => `mount -o remount,rw / ; touch ${place}`,
  ),
  {
    name: "the settings of the machine's kernel",
    expected: "none may be written to",
    needs: "namespaces",
    miss: setsKernel,
  },
  { name: "a server on this machine", expected: "not reached", needs: "namespaces", miss: reachesHost },
  { name: "all processes of the machine", expected: "not seen", needs: "namespaces", miss: seesOthers },
  { name: "kill -9 -1", expected: "nothing outside ends", needs: "namespaces", miss: killsAll },
  { name: "a background process of another principal", expected: "not there", miss: anothersProcess },
  {
    name: "the terminal",
    expected: "there is none",
    miss: async (stage) => {
      const { command } = await stage.bash("echo x > /dev/tty");
      return unless(command.exitCode !== 0, "it could be written to");
    },
  },
  {
    name: "standard input of the program behind it",
    expected: "nothing to read",
    miss: async (stage) => {
      const { command } = await stage.bash("cat | wc -c");
      return unless(command.stdout.trim() === "0", command.stdout);
    },
  },
  {
    name: "open files of the program behind it",
    expected: "none but its own",
    miss: async (stage) => {
      const { command } = await stage.call("run_command", { command: "ls", args: ["/proc/self/fd"] });
      return unless(command.stdout === "0\n1\n2\n3\n", command.stdout);
    },
  },
];
