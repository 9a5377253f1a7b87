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
  {
    title: "Tools",
    href: "/tools",
    key: "t",
    question: "What can it do, and how well?",
    icon: "M9.5 3.5a3 3 0 0 1 3.7 3.7L6 14l-3-3 6.8-7.2ZM9 6l2 2",
    routes: [
      { pattern: "/tools", load: async () => (await import("./tools/tools.tsx")).Tools },
      { pattern: "/tools/:name", load: async () => (await import("./tool/tool.tsx")).Tool },
    ],
  },
  {
    title: "Failures",
    href: "/failures",
    key: "f",
    question: "What is broken?",
    icon: "M8 2 1.5 13.5h13ZM8 6.5v3M8 11.5v.1",
    routes: [{ pattern: "/failures", load: async () => (await import("./failures/failures.tsx")).Failures }],
  },
  {
    title: "Audit",
    href: "/audit",
    key: "a",
    question: "Can I prove it?",
    icon: "M8 1.5 13 4v4c0 3.5-2.2 5.5-5 6.5-2.8-1-5-3-5-6.5V4ZM5.5 8l2 2 3-4",
    routes: [{ pattern: "/audit", load: async () => (await import("./audit/audit.tsx")).Audit }],
  },
  {
    title: "Fleet",
    href: "/fleet",
    key: "w",
    question: "Is it keeping up?",
    icon: "M2 3h12v4H2ZM2 9h12v4H2ZM4.5 5h.1M4.5 11h.1",
    routes: [{ pattern: "/fleet", load: async () => (await import("./fleet/fleet.tsx")).Fleet }],
  },
  {
    title: "Policy",
    href: "/policy",
    key: "p",
    question: "Would it be allowed?",
    icon: "M8 2v12M3 5h10M3 5l-1.5 4h3ZM13 5l-1.5 4h3ZM5 14h6",
    routes: [{ pattern: "/policy", load: async () => (await import("./policy/policy.tsx")).Policy }],
  },
];

export const ROUTES: readonly Route[] = PAGES.flatMap((page) => page.routes);
