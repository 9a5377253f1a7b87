/** Names that vendors do not take. */
import { tool } from "@toolrig/core";
import { vendorName } from "@toolrig/core/kit";
import { expect, test } from "vitest";
import { Bench, says } from "../../../proofs/interop/bench.ts";
import { installedPeers } from "../../../proofs/interop/peers.ts";

const peers = await installedPeers(console.error);

test.each(peers)(
  "beneath $name a tool named like what another was told as takes none of its calls",
  async (peer) => {
    const ran: string[] = [];
    const named = (name: string) =>
      tool({ name, description: name, input: { type: "object" }, execute: () => ran.push(name) });
    const told = vendorName("bank.pay");
    const bench = await Bench.of(peer);
    bench.rig.registry.add(named("bank.pay"));
    bench.rig.registry.add(named(told), { provider: "elsewhere" });
    await bench.run([says([told, {}]), { text: "done" }]);
    expect(ran).toEqual(["bank.pay"]);
    await bench.close();
  },
);
