import { defineConfig } from "vitepress";
import { headingId } from "../../scripts/site/heading-id.ts";
import { NAVIGATION, SIDEBARS } from "../navigation.ts";
import { ownText } from "./own-text.ts";
import { weightOfPage, wordsOfPage, wordsOfQuestion } from "./search.ts";

export default defineConfig({
  title: "Toolrig",
  description:
    "The tool runtime for AI agents: from the call that a model emitted to a result that somebody can prove.",
  lang: "en",
  srcDir: "pages",
  outDir: "dist",
  cleanUrls: true,
  lastUpdated: false,
  head: [["meta", { name: "referrer", content: "no-referrer" }]],
  markdown: {
    theme: { light: "github-light-high-contrast", dark: "github-dark-high-contrast" },
    anchor: { slugify: headingId },
    config: ownText,
  },
  transformHead: ({ siteData }) => [
    ["link", { rel: "icon", href: `${siteData.base}icon.svg`, type: "image/svg+xml" }],
  ],
  themeConfig: {
    logo: { src: "/icon.svg", alt: "" },
    search: {
      provider: "local",
      options: {
        detailedView: "auto",
        miniSearch: {
          options: { tokenize: wordsOfPage },
          searchOptions: { tokenize: wordsOfQuestion, combineWith: "AND", boostDocument: weightOfPage },
        },
      },
    },
    outline: [2, 3],
    sidebar: SIDEBARS,
    nav: NAVIGATION,
    notFound: {
      title: "There is no such page",
      quote:
        "It may have moved, or the address has a slip in it. The search at the top finds every page and every name.",
      linkLabel: "To the first page",
      linkText: "To the first page",
    },
  },
  vite: {
    build: { chunkSizeWarningLimit: 2_000 },
    plugins: [
      {
        // The console's colours, under the name that this theme switches by.
        name: "console-colours",
        enforce: "pre",
        transform: (code, id) =>
          /console\/src\/styles\/theme\.css$/.test(id)
            ? code.replaceAll('[data-theme="dark"]', ".dark")
            : undefined,
      },
    ],
  },
});
