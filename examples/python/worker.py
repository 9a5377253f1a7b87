"""A worker of the fleet in Python, written from docs/wire.md: runs `count_words`. Usage: worker.py nats://127.0.0.1:4222"""
import json, secrets, sys, threading, time
from nats_client import Nats

NAME, CONSUMER = "count_words", "tool-exec-count-words"
SCHEMA = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
ME = f"worker_py{secrets.token_hex(6)}"
nats, running, now = Nats(sys.argv[1]), set(), lambda: int(time.time() * 1000)
started_at = now()

def token(text):
    safe = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-"
    return "".join(chr(b) if chr(b) in safe else f"={b:02x}" for b in text.encode())

def key_of(execution_id, caller):
    if caller:
        return f"{token(caller)}.{token(execution_id)}"
    parts = execution_id.split(".")
    return execution_id if len(parts) == 2 and all(p and token(p) == p for p in parts) else f"id.{token(execution_id)}"

def fingerprint(call):
    args = call.get("arguments") or {}
    args = args if isinstance(args, str) else json.dumps(args, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    units = f"{call['name']}@{call.get('version', '')}:{args}".encode("utf-16-le")
    high, low, mask = 0xDEADBEEF, 0x41C6CE57, 0xFFFFFFFF
    for i in range(0, len(units), 2):
        code = units[i] | units[i + 1] << 8
        high, low = (high ^ code) * 2654435761 & mask, (low ^ code) * 1597334677 & mask
    high = (high ^ high >> 16) * 2246822507 & mask ^ (low ^ low >> 13) * 3266489909 & mask
    low = (low ^ low >> 16) * 2246822507 & mask ^ (high ^ high >> 13) * 3266489909 & mask
    return f"{high:08x}{low:08x}"

def write(key, entry, revision):
    """Compare-and-set. The new revision, or None when somebody else wrote."""
    headers = {"Nats-Expected-Last-Subject-Sequence": revision}
    answer = nats.request(f"$KV.TOOL_LEDGER.{key}", json.dumps(entry), headers).json()
    return None if "error" in answer else answer["seq"]

def result_of(call, execution_id, value=None, code=None, kind=None, message=None):
    text = message if code else value if isinstance(value, str) else json.dumps(value)
    result = {"callId": call["id"], "executionId": execution_id, "name": call["name"], "isError": bool(code),
              "content": [{"type": "text", "text": text}], "attempts": 1, "durationMs": 0,
              "decoded": {"mode": "strict", "degree": "exact", "repairs": []}}
    failure = {"code": code, "kind": kind, "message": message, "retryable": False}
    return result | ({"failure": failure} if code else {"value": value})

def run(call):
    args = call.get("arguments") or {}
    if not isinstance(args, dict) or not isinstance(args.get("text"), str):
        return {"code": "TOOL_EXECUTION_FAILED", "kind": "validation", "message": "text must be a string"}
    return {"value": len(args["text"].split())}

def claim(key, mark, ack):
    """The revision that makes the call ours, or None."""
    entry = {"state": "started", "worker": ME, "attempt": 1, "fingerprint": mark, "at": now()}
    if (revision := write(key, entry, 0)) is not None:
        return revision
    found = nats.request(f"$JS.API.DIRECT.GET.KV_TOOL_LEDGER.$KV.TOOL_LEDGER.{key}")
    known = found.json()
    if known["state"] == "final" or known["fingerprint"] != mark:
        return ack(b"+ACK")
    try:
        alive = nats.request(f"tool.worker.{known['worker']}", key, timeout=2).data == b"running"
    except Exception:
        alive = False
    if alive:
        return ack(b'-NAK {"delay": 2000000000}')
    # Its worker was lost. A tool that may not run again would be answered TOOL_OUTCOME_UNKNOWN here.
    return write(key, entry | {"attempt": known["attempt"] + 1}, int(found.headers["Nats-Sequence"]))

def handle(message):
    ack = lambda text: nats.publish(message.reply, text)
    if message.status:  # The request is over.
        return
    if "Nats-Stream" in message.headers:
        return ack(b"+TERM said by the server in somebody's stead")
    body = json.loads(message.data)
    call = body.get("call", body)
    execution_id = body.get("executionId") or call["id"]
    key, mark = key_of(execution_id, body.get("caller")), fingerprint(call)
    running.add(key)
    try:
        if (revision := claim(key, mark, ack)) is None:
            return
        result = result_of(call, execution_id, **run(call))  # A long one says +WPI well within the ack wait.
        if write(key, {"state": "final", "fingerprint": mark, "at": now(), "result": result}, revision):
            if "call" not in body:
                nats.publish(f"tool.result.{token(call['id'])}", json.dumps(result))
            ack(b"+ACK")
    finally:
        running.discard(key)

def show_card():
    offer = {"name": NAME, "description": "Count the words of a text", "inputSchema": SCHEMA, "provider": "python",
             "available": True, "slots": 1, "safety": {"sideEffects": "none", "idempotent": True}}
    card = {"id": ME, "startedAt": started_at, "at": now(), "running": len(running), "tools": [offer]}
    nats.publish(f"$KV.AGENT_WORKERS.{ME}", json.dumps(card))
    threading.Timer(5, show_card).start()

config = {"durable_name": CONSUMER, "filter_subject": f"tool.execute.{NAME}", "ack_policy": "explicit",
          "ack_wait": 2_000_000_000, "max_deliver": -1, "max_ack_pending": 65_536}
nats.request(f"$JS.API.CONSUMER.CREATE.AGENT.{CONSUMER}.tool.execute.{NAME}", json.dumps({"stream_name": "AGENT", "config": config}))
nats.subscribe(f"tool.worker.{ME}", lambda m: nats.publish(m.reply, b"running" if m.data.decode() in running else b"no"))
show_card()
print("ready", flush=True)
while True:
    try:
        handle(nats.request(f"$JS.API.CONSUMER.MSG.NEXT.AGENT.{CONSUMER}", json.dumps({"batch": 1, "expires": 4_000_000_000})))
    except Exception as error:
        print("delivery:", repr(error), flush=True)
        time.sleep(1)
