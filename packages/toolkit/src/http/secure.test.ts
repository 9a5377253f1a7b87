/** Over TLS, in a process of its own that trusts a certificate made here. */
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { folder } from "../../test/calls.ts";

const root = folder();
const [key, cert] = [join(root, "key.pem"), join(root, "cert.pem")];

function fetched(hosts: readonly string[]): unknown {
  const program = join(root, "fetch.ts");
  writeFileSync(
    program,
    `
    import { readFileSync } from "node:fs";
    import { createServer } from "node:https";
    import { connect } from "node:net";
    import { Executor } from ${JSON.stringify(import.meta.resolve("@toolrig/core"))};
    import { fetchUrlOver } from ${JSON.stringify(join(import.meta.dirname, "fetch-url.ts"))};
    const [key, cert] = [${JSON.stringify(key)}, ${JSON.stringify(cert)}].map((file) => readFileSync(file));
    const server = createServer({ key, cert }, (request, response) => {
      response.setHeader("content-type", "text/plain").end("hello " + request.headers.host.split(":")[0]);
    });
    await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address();
    const network = { lookup: async () => ["127.0.0.1"], connect: (address) => connect({ host: address, port }) };
    const hosts = ${JSON.stringify(hosts)};
    const executor = new Executor({ tools: [fetchUrlOver(network, { allow: hosts })] });
    const answers = [];
    for (const host of hosts) {
      const call = { id: host, name: "fetch_url", arguments: { url: "https://" + host + "/" } };
      const { isError, content } = await executor.call(call);
      answers.push(isError ? "failed" : content[1].text);
    }
    console.log(JSON.stringify(answers));
    server.close();`,
  );
  const args = ["--conditions=@toolrig/source", program];
  const env = { ...process.env, NODE_EXTRA_CA_CERTS: cert };
  return JSON.parse(execFileSync(process.execPath, args, { env, encoding: "utf8" }));
}

test("a certificate has to be trusted and for the host that was asked", () => {
  const subject = [
    "-subj",
    "/CN=secure.example",
    "-addext",
    "subjectAltName=DNS:secure.example,IP:127.0.0.1",
  ];
  const making = [
    "req",
    "-x509",
    "-newkey",
    "rsa:2048",
    "-nodes",
    "-days",
    "2",
    "-keyout",
    key,
    "-out",
    cert,
  ];
  execFileSync("openssl", [...making, ...subject], { stdio: "ignore" });
  expect(fetched(["secure.example", "127.0.0.1", "other.example"])).toEqual([
    "hello secure.example",
    "hello 127.0.0.1",
    "failed",
  ]);
});
