import { effect, signal } from "@preact/signals";

export type ThemeChoice = "system" | "light" | "dark";

const KEY = "toolrig.theme";
const system = matchMedia("(prefers-color-scheme: dark)");

export const themeChoice = signal<ThemeChoice>(readChoice());

/** Sets the theme of the page, and follows the system's where nobody chose. */
export function followTheme(): void {
  const apply = () => {
    const choice = themeChoice.value;
    document.documentElement.dataset.theme =
      choice === "system" ? (system.matches ? "dark" : "light") : choice;
  };
  effect(apply);
  system.addEventListener("change", apply);
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
