import { defineConfig } from "vitepress";
import { CHAPTERS } from "../chapters.ts";

export default defineConfig({
  title: "Toolrig",
  description: "The tool runtime for AI agents",
  srcDir: "pages",
  outDir: "dist",
  cleanUrls: true,
  lastUpdated: false,
  markdown: { theme: { light: "github-light-high-contrast", dark: "github-dark-high-contrast" } },
  themeConfig: {
    search: { provider: "local" },
    outline: [2, 3],
    sidebar: CHAPTERS.map(({ title, pages }) => ({
      text: title,
      items: pages.map(([link, text]) => ({ text, link: `/${link}` })),
    })),
    nav: [
      { text: "Start", link: "/" },
      { text: "Architecture", link: "/architecture" },
      { text: "Reference", link: "/reference/" },
    ],
  },
});
