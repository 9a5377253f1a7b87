"""A worker of the fleet in Python, written from docs/wire.md: runs `count_words`. Usage: worker.py nats://127.0.0.1:4222"""
import json, re, secrets, sys, threading, time
from types import SimpleNamespace
from fleet import Malformed, fingerprint, key_of, load, parse, read_entry, token, write_entry
from nats_client import Nats

NAME, CONSUMER = "count_words", "tool-exec-count-words"
SCHEMA = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
ME = f"worker_py{secrets.token_hex(6)}"
MAX_ATTEMPTS = 5
nats, running, now = Nats(sys.argv[1]), set(), lambda: int(time.time() * 1000)
started_at = now()

def run(call):
    args = call.get("arguments")
    try:
        args = parse(args) if isinstance(args, str) else args  # A value, or the text that a model wrote.
    except Malformed as error:
        return {"code": "TOOL_ARGUMENTS_INVALID_JSON", "kind": "validation", "message": str(error)}
    if not isinstance(args, dict) or not isinstance(args.get("text"), str):
        return {"code": "TOOL_EXECUTION_FAILED", "kind": "validation", "message": "text must be a string"}
    return {"value": len(args["text"].split())}

def read_call(message):
    """The call that a message holds. Raises Malformed for what is none."""
    if message.values("Nats-Stream") or message.values("Nats-Stream-Source"):
        raise Malformed("said by the server in somebody's stead")
    body = parse(message.data)
    if isinstance(body, dict) and "object" in body:
        body = parse(load(nats, body["object"]))
    call = body.get("call", body) if isinstance(body, dict) else None
    if not isinstance(call, dict) or not all(isinstance(call.get(each), str) and call[each] for each in ("id", "name")):
        raise Malformed("the call has no id or no name")
    if message.subject != f"tool.execute.{token(call['name'])}":
        raise Malformed(f"a call of {call['name']} does not belong on {message.subject}")
    execution_id, caller = ("" if body.get(each) is None else body[each] for each in ("executionId", "caller"))
    if not isinstance(execution_id, str) or not isinstance(caller, str):
        raise Malformed("the executionId or the caller is not a text")
    execution_id = execution_id or call["id"]
    return SimpleNamespace(message=message, call=call, execution_id=execution_id, key=key_of(execution_id, caller),
                           mark=fingerprint(call), plain="call" not in body, ack=lambda text: nats.publish(message.reply, text))

def put_aside(message, place, reason):
    """Among the dead letters. Raises when the server does not say that it has it: the message then comes again."""
    headers = {"Tool-Name": place, "Tool-Reason": re.sub(r"[^ -~]+", " ", reason)[:200], "Tool-Origin": message.subject}
    if "error" in (answer := nats.request(f"tool.dlq.{place}", message.data, headers).json()):
        raise RuntimeError(answer["error"]["description"])

def result_of(job, value=None, code=None, kind=None, message=None):
    text = message if code else value if isinstance(value, str) else json.dumps(value)
    result = {"callId": job.call["id"], "executionId": job.execution_id, "name": job.call["name"], "isError": bool(code),
              "content": [{"type": "text", "text": text}], "attempts": 1, "durationMs": 0,
              "decoded": {"mode": "strict", "degree": "exact", "repairs": []}}
    failure = {"code": code, "kind": kind, "message": message, "retryable": False}
    return result | ({"failure": failure} if code else {"value": value})

def tell(job, result):
    if job.plain:
        nats.publish(f"tool.result.{token(job.call['id'])}", json.dumps(result))

def end(job, result, revision):
    """Only when the entry is final, the message may go."""
    if write_entry(nats, job.key, {"state": "final", "fingerprint": job.mark, "at": now(), "result": result}, revision):
        tell(job, result)
        job.ack("+ACK")

def is_running(worker, key):
    try:
        return re.fullmatch(r"[^\s*>]+", worker) and nats.request(f"tool.worker.{worker}", key, timeout=2).data == b"running"
    except Exception:
        return False

def claim(job):
    """The revision that makes the call ours, or None."""
    entry = {"state": "started", "worker": ME, "attempt": 1, "fingerprint": job.mark, "at": now()}
    if (revision := write_entry(nats, job.key, entry, 0)) is not None:
        return revision
    known, revision = read_entry(nats, job.key)
    if known is None:
        return job.ack("-NAK")
    unknown = {"code": "TOOL_OUTCOME_UNKNOWN", "kind": "unknown", "message": "The entry was lost. The call may have happened."}
    if known["state"] == "lost":
        return end(job, result_of(job, **unknown), revision)
    if known["state"] == "final" and known["fingerprint"] in (job.mark, ""):
        if known["fingerprint"] == "":
            tell(job, result_of(job, **unknown))
        return job.ack("+ACK")
    if known["fingerprint"] != job.mark:
        put_aside(job.message, NAME, "another call has this execution id")
        tell(job, result_of(job, code="TOOL_BLOCKED", kind="denied", message="The execution id belongs to another call."))
        return job.ack("+ACK")
    if known["state"] == "waiting":  # It asked somebody, or its result comes later. This tool does neither.
        return job.ack("+ACK")
    if is_running(known["worker"], job.key):
        return job.ack('-NAK {"delay": 2000000000}')
    # Its worker was lost. A tool that may not run again would be answered TOOL_OUTCOME_UNKNOWN here.
    if known["attempt"] >= MAX_ATTEMPTS:
        put_aside(job.message, NAME, f"its worker was lost {known['attempt']} times")
        return end(job, result_of(job, code="TOOL_PANICKED", kind="fatal", message="Its workers were lost."), revision)
    return write_entry(nats, job.key, entry | {"attempt": known["attempt"] + 1}, revision)

def handle(message):
    if message.status:  # The request is over.
        return
    try:
        job = read_call(message)
    except (ValueError, RecursionError) as error:
        put_aside(message, "malformed", str(error))
        return nats.publish(message.reply, "+TERM it is no call")
    running.add(job.key)
    try:
        if (revision := claim(job)) is not None:
            end(job, result_of(job, **run(job.call)), revision)  # A long one says +WPI well within the ack wait.
    finally:
        running.discard(job.key)

def answer(message):
    if message.reply.startswith("_"):  # Inboxes only: who asks names where the answer goes.
        nats.publish(message.reply, "running" if message.data.decode() in running else "no")

def show_card():
    offer = {"name": NAME, "description": "Count the words of a text", "inputSchema": SCHEMA, "provider": "python",
             "available": True, "slots": 1, "safety": {"sideEffects": "none", "idempotent": True}}
    card = {"id": ME, "startedAt": started_at, "at": now(), "running": len(running), "tools": [offer]}
    nats.publish(f"$KV.AGENT_WORKERS.{ME}", json.dumps(card))
    threading.Timer(5, show_card).start()

config = {"durable_name": CONSUMER, "filter_subject": f"tool.execute.{NAME}", "ack_policy": "explicit",
          "ack_wait": 2_000_000_000, "max_deliver": -1, "max_ack_pending": 65_536}
create = f"$JS.API.CONSUMER.CREATE.AGENT.{CONSUMER}.tool.execute.{NAME}"
if "error" in (made := nats.request(create, json.dumps({"stream_name": "AGENT", "config": config})).json()):
    sys.exit(f"no consumer: {made['error']['description']}")
nats.subscribe(f"tool.worker.{ME}", answer)
show_card()
print("ready", flush=True)
while True:
    try:
        handle(nats.request(f"$JS.API.CONSUMER.MSG.NEXT.AGENT.{CONSUMER}", json.dumps({"batch": 1, "expires": 4_000_000_000})))
    except Exception as error:
        print("delivery:", repr(error), flush=True)
        time.sleep(1)
