import type { DefaultTheme } from "vitepress";
import { DOORS } from "../scripts/architecture/plan.ts";
import { fileOf } from "../scripts/reference/page.ts";
import { CHAPTERS } from "./chapters.ts";

/** The package that people install first, then what it is made of. */
const REFERENCE = DOORS.toSorted((a, b) => Number(b.name === "toolrig") - Number(a.name === "toolrig")).map(
  (door) => ({
    text: door.name,
    link: `/reference/${fileOf(door).replace(/\.md$/, "")}`,
  }),
);

/** Of the chapters, the one that the page is in is open: all titles and its pages fit on a laptop. */
export const SIDEBARS: DefaultTheme.SidebarMulti = {
  "/": CHAPTERS.map(({ title, pages }) => ({
    text: title,
    // Without one, the title is a button around a button.
    link: `/${pages[0]?.[0]}`,
    collapsed: true,
    items: pages.map(([link, text]) => ({ text, link: `/${link}` })),
  })),
  "/reference/": [
    {
      text: "Reference",
      link: "/reference/",
      items: [{ text: "Options", link: "/reference/options" }, ...REFERENCE],
    },
  ],
};

export const NAVIGATION: DefaultTheme.NavItem[] = [
  { text: "Guides", link: "/guides/", activeMatch: "^/guides/" },
  { text: "Docs", link: "/overview", activeMatch: "^/(?!guides/|reference/|benchmarks|changelog|$)" },
  { text: "Reference", link: "/reference/", activeMatch: "^/reference/" },
  { text: "Benchmarks", link: "/benchmarks" },
  { text: "Changelog", link: "/changelog" },
];
