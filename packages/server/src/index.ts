export { type ServedHttp, serve } from "./app/serve.ts";
export type { ServeOptions, ServerLimits } from "./app/settings.ts";
export type { FleetView } from "./fleet-view.ts";
export type { DeniedRequest } from "./security/denied-log.ts";
export { checkScope, type ServerToken, type TokenSource } from "./security/token.ts";
export { type KeptToken, TokenFile } from "./security/token-file.ts";
export type { ServedRig, ServedRunOptions } from "./served-rig.ts";
export type { Scope } from "./wire.ts";
