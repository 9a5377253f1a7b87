/** Serves the fixture over HTTP on a free port of loopback, which it prints. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Registry } from "@toolrig/core";
import { mcpServer } from "@toolrig/mcp";
import { rig } from "toolrig";
import { changingTools, TOOLS, VIEW } from "./fixture.ts";

const registry = new Registry(TOOLS);
for (const each of changingTools(registry)) registry.add(each);
const served = mcpServer(rig({ tools: registry }), {
  name: "fixture",
  version: "1.0.0",
  views: { all: VIEW },
});
const server = createServer((request, response) => void served.node(request, response));
server.listen(0, "127.0.0.1", () => console.log((server.address() as AddressInfo).port));
