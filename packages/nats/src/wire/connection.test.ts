import { type AddressInfo, createServer, type Server } from "node:net";
import { afterEach, expect, test } from "vitest";
import { open } from "./connection.ts";

let server: Server;

afterEach(() => void server.close());

/** Greets like a server of that version, and knows nothing else. Returns its address. */
async function greeting(version: string, max_payload = 1_048_576): Promise<string> {
  const info = { server_id: "S", version, proto: 1, headers: true, max_payload };
  server = createServer((socket) => {
    socket.on("error", () => socket.destroy());
    socket.on("data", (chunk) => {
      if (String(chunk).includes("PING")) socket.write("PONG\r\n");
    });
    socket.write(`INFO ${JSON.stringify(info)}\r\n`);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test.each(["2.9.10", "2.9.25-beta.1", "1.4.1", "0.9.6"])(
  "a server of version %s is refused",
  async (version) => {
    const servers = await greeting(version);
    await expect(open({ servers }, "test")).rejects.toMatchObject({
      code: "CONFIG_INVALID",
      message: `The server at ${servers} is nats-server ${version}; 2.10 or later is needed.`,
    });
  },
);

test("a server that takes only short messages is refused", async () => {
  const servers = await greeting("2.12.0", 4_096);
  await expect(open({ servers }, "test")).rejects.toMatchObject({
    code: "CONFIG_INVALID",
    message: `The server at ${servers} takes messages of 4096 bytes at most; 16384 are needed. Raise its max_payload.`,
  });
});

test.each(["2.10.0", "2.10.0-RC.1", "2.15.1", "3.0.0"])("one of version %s is used", async (version) => {
  const connection = await open({ servers: await greeting(version) }, "test");
  expect(connection.info?.version).toBe(version);
  await connection.close();
});
