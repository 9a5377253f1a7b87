/** What a command is told of its surroundings unless the owner says more. None of it is a secret. */
const ALLOWED: readonly string[] = [
  "PATH",
  "HOME",
  "USER",
  "LOGNAME",
  "SHELL",
  "LANG",
  "LANGUAGE",
  "TZ",
  "TMPDIR",
];

export interface EnvironmentOptions {
  /** Names of further variables of this process that commands see. */
  allow?: readonly string[];
  /** Variables that commands see with these values. */
  set?: Readonly<Record<string, string>>;
}

/**
 * Said to every command. There is no terminal. A shell whose input is a socket, as that of Node's children is, takes itself for
 * a remote login and reads the files of one, unless it stands below another shell.
 */
const GIVEN = { TERM: "dumb", SHLVL: "1" } as const;

/** The environment of a command: what is allowed, and nothing else of this process. */
export function environmentOf(
  { allow = [], set = {} }: EnvironmentOptions,
  from: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const environment: Record<string, string> = { ...GIVEN };
  for (const [name, value] of Object.entries(from)) {
    const isAllowed = ALLOWED.includes(name) || name.startsWith("LC_") || allow.includes(name);
    if (isAllowed && value !== undefined) environment[name] = value;
  }
  return { ...environment, ...set };
}
