import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { ApiError, post } from "../api/client.ts";
import { server } from "../api/server.ts";
import { runPage } from "../location/addresses.ts";
import { navigate } from "../location/location.ts";
import { Command } from "./copy.tsx";

/** A page with nothing on it: what would be here, the command that fills it, and a button where the demo can. */
export function Empty({
  title,
  children,
  command,
  demo = false,
}: {
  title: string;
  children?: ComponentChildren;
  command?: string;
  demo?: boolean;
}) {
  return (
    <div class="empty">
      <h2>{title}</h2>
      {children !== undefined && <p class="prose quiet">{children}</p>}
      {command !== undefined && <Command command={command} />}
      {demo && <DemoButton tone="primary" />}
    </div>
  );
}

/** Where the server has the demonstration: starts the scripted agent and goes to its run. */
export function DemoButton({ tone = "" }: { tone?: "" | "primary" }) {
  const [problem, setProblem] = useState("");
  const start = async () => {
    try {
      const { runId } = await post<{ runId: string }>("/demo/start");
      navigate(runPage(runId));
    } catch (error) {
      setProblem(error instanceof ApiError ? error.problem.detail : String(error));
    }
  };
  if (server.value?.features.demo !== true) return null;
  return (
    <div class="demo-button">
      <button type="button" class={tone} onClick={() => void start()}>
        Run the demo
      </button>
      {problem !== "" && <span role="alert">{problem}</span>}
    </div>
  );
}
