"""A caller of the fleet in Python, written from docs/wire.md. Usage: caller.py nats://127.0.0.1:4222 TOOL '{"arguments": 1}'"""
import json, queue, secrets, sys, time
from fleet import fit, load, parse, read_entry, token
from nats_client import Nats

nats, (name, arguments) = Nats(sys.argv[1]), (sys.argv[2], json.loads(sys.argv[3]))
key = f"py_{secrets.token_hex(6)}.1"  # Two tokens, so it is the execution's id and its key.
finals, deadline = queue.Queue(), time.time() + 60

def heard(message):
    # Others may publish here, too. What the server republished names the entry that it is, once.
    if message.values("Nats-Subject") == [f"$KV.TOOL_LEDGER.{key}"] and (entry := parse(message.data))["state"] == "final":
        finals.put(entry)

def submit(text):
    while time.time() < deadline:
        try:
            return nats.request(f"tool.execute.{token(name)}", text).json()
        except queue.Empty:  # It may be there. Of copies one runs.
            pass
    sys.exit("not accepted in time")

def outcome():
    """Entries are republished once, and the ledger keeps them: it is asked now and then."""
    while time.time() < deadline:
        try:
            return finals.get(timeout=5)
        except queue.Empty:
            entry, _ = read_entry(nats, key)
            if entry and entry["state"] not in ("started", "waiting"):
                return entry
    sys.exit(f"no outcome in time; the ledger will have it as {key}")

nats.subscribe(f"tool.result.{key}", heard)
call = {"executionId": key, "call": {"id": "call_1", "name": name, "arguments": arguments}}
accepted = submit(fit(nats, f"{key}.call", json.dumps(call)))
if "error" in accepted:
    sys.exit(f"not accepted: {accepted['error']['description']}")
entry = outcome()
if entry["state"] == "lost":
    sys.exit(f"the entry {key} was deleted or overwritten: the call may have happened")
print(json.dumps(parse(load(nats, entry["object"])) if "object" in entry else entry["result"]))
