import { dirname } from "node:path";
import { messageOf } from "@toolrig/core/kit";
import { engineFor, KEYS } from "../../config/engine-for.ts";
import type { Loaded } from "../../config/load-settings.ts";
import type { Finding } from "./finding.ts";

/** Whether `toolrig run` has a model: its package and its key. Nothing is sent to it. */
export async function checkModel({ model, rig: { engine }, file = "" }: Loaded): Promise<Finding> {
  if (engine !== undefined) return { status: "ok", check: "model", message: "made by the config" };
  if (model === undefined) {
    const keys = KEYS.filter((key) => (process.env[key] ?? "") !== "");
    const found = keys.length === 0 ? `none of ${KEYS.join(", ")} is set` : `${keys.join(", ")} is set`;
    return {
      status: "ok",
      check: "model",
      message: `none configured: "toolrig run" needs --model; ${found}`,
    };
  }
  try {
    await engineFor(model, dirname(file), dirname(file));
    return { status: "ok", check: "model", message: model };
  } catch (error) {
    return { status: "fail", check: "model", message: `${model}: ${messageOf(error)}` };
  }
}
