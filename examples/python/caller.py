"""A caller of the fleet in Python, written from docs/wire.md. Usage: caller.py nats://127.0.0.1:4222 TOOL '{"arguments": 1}'"""
import json, queue, secrets, sys
from nats_client import Nats

nats, (name, arguments) = Nats(sys.argv[1]), (sys.argv[2], json.loads(sys.argv[3]))
key = f"py_{secrets.token_hex(6)}.1"  # Two tokens, so it is the execution's id and its key.
finals = queue.Queue()
nats.subscribe(f"tool.result.{key}", lambda m: finals.put(m.json()) if m.json()["state"] == "final" else None)
call = {"executionId": key, "call": {"id": "call_1", "name": name, "arguments": arguments}}
accepted = nats.request(f"tool.execute.{name}", json.dumps(call)).json()
if "error" in accepted:
    sys.exit(f"not accepted: {accepted['error']['description']}")
try:
    entry = finals.get(timeout=60)
except queue.Empty:  # Results are republished once; the ledger keeps them.
    entry = nats.request(f"$JS.API.DIRECT.GET.KV_TOOL_LEDGER.$KV.TOOL_LEDGER.{key}").json()
print(json.dumps(entry.get("result", entry)))
