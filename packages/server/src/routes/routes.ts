import type { Route } from "../http/route.ts";
import { callByIdRoutes } from "./call-by-id.ts";
import { callRoutes } from "./calls.ts";
import type { Context } from "./context.ts";
import { fleetRoutes } from "./fleet.ts";
import { inboxRoutes } from "./inbox.ts";
import { recordRoutes } from "./records.ts";
import { otherRoutes } from "./rest.ts";
import { runRoutes } from "./runs.ts";
import { serverRoutes } from "./server.ts";
import { toolRoutes } from "./tools.ts";

/** Every operation of the API. */
export function routesOf(context: Context): Route[] {
  return [
    ...serverRoutes(context),
    ...toolRoutes(context),
    ...callRoutes(context),
    ...callByIdRoutes(context),
    ...runRoutes(context),
    ...inboxRoutes(context),
    ...recordRoutes(context),
    ...fleetRoutes(context),
    ...otherRoutes(context),
  ];
}
