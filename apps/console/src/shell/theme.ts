import { computed, effect, signal } from "@preact/signals";

export type ThemeChoice = "system" | "light" | "dark";

const KEY = "toolrig.theme";
const system = matchMedia("(prefers-color-scheme: dark)");

const systemIsDark = signal(system.matches);

export const themeChoice = signal<ThemeChoice>(readChoice());

/** What is shown: what was chosen, or what the system has where nobody chose. */
export const theme = computed(() => {
  if (themeChoice.value !== "system") return themeChoice.value;
  return systemIsDark.value ? "dark" : "light";
});

/** Sets the theme of the page, and follows the system's. */
export function followTheme(): void {
  system.addEventListener("change", () => {
    systemIsDark.value = system.matches;
  });
  effect(() => {
    document.documentElement.dataset.theme = theme.value;
  });
}

/** From the system's to light to dark and round again. */
export function switchTheme(): void {
  const next = { system: "light", light: "dark", dark: "system" } as const;
  themeChoice.value = next[themeChoice.value];
  localStorage.setItem(KEY, themeChoice.value);
}

function readChoice(): ThemeChoice {
  const kept = localStorage.getItem(KEY);
  return kept === "light" || kept === "dark" ? kept : "system";
}
