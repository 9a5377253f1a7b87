import type { DefaultTheme } from "vitepress";
import { DOORS } from "../scripts/architecture/plan.ts";
import { fileOf } from "../scripts/reference/page.ts";
import { CHAPTERS } from "./chapters.ts";

const REFERENCE = DOORS.map((door) => ({
  text: door.name,
  link: `/reference/${fileOf(door).replace(/\.md$/, "")}`,
}));

export const SIDEBARS: DefaultTheme.SidebarMulti = {
  "/": CHAPTERS.map(({ title, pages }) => ({
    text: title,
    items: pages.map(([link, text]) => ({ text, link: `/${link}` })),
  })),
  "/reference/": [{ text: "Reference", link: "/reference/", items: REFERENCE }],
};

export const NAVIGATION: DefaultTheme.NavItem[] = [
  { text: "Docs", link: "/overview", activeMatch: "^/(?!reference/|benchmarks|changelog|$)" },
  { text: "Reference", link: "/reference/", activeMatch: "^/reference/" },
  { text: "Benchmarks", link: "/benchmarks" },
  { text: "Changelog", link: "/changelog" },
];
