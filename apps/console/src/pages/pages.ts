import type { Route } from "../location/route.tsx";

/** A page as the navigation has it: its name, its key after `g`, and the questions it answers. */
export interface PageEntry {
  title: string;
  href: string;
  key: string;
  question: string;
  /** Path of its icon, on 16 by 16. */
  icon: string;
  routes: readonly Route[];
}

export const PAGES: readonly PageEntry[] = [
  {
    title: "Live",
    href: "/",
    key: "l",
    question: "What is happening now?",
    icon: "M1.5 8h3l2-5 3 10 2-5h3",
    routes: [
      { pattern: "/", load: async () => (await import("./live/live.tsx")).Live },
      { pattern: "/calls/:id", load: async () => (await import("./call/call.tsx")).Call },
    ],
  },
  {
    title: "Runs",
    href: "/runs",
    key: "r",
    question: "What did the agent do?",
    icon: "M2 4h8M5 8h7M9 12h5",
    routes: [
      { pattern: "/runs", load: async () => (await import("./runs/runs.tsx")).Runs },
      { pattern: "/runs/:id", load: async () => (await import("./run/run.tsx")).Run },
    ],
  },
  {
    title: "Inbox",
    href: "/inbox",
    key: "i",
    question: "What needs me?",
    icon: "M2 9h3.5l1 2h3l1-2H14M2 9l2-6h8l2 6v4H2Z",
    routes: [{ pattern: "/inbox", load: async () => (await import("./inbox/inbox.tsx")).Inbox }],
  },
];

export const ROUTES: readonly Route[] = PAGES.flatMap((page) => page.routes);
