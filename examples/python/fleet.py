"""What a worker and a caller of the fleet share, written from docs/wire.md: names, fingerprints, entries, large texts."""
import json, queue, re, secrets
from decimal import Decimal

class Malformed(ValueError):
    """What came is not what it should be."""

def parse(data):
    """JSON as JavaScript reads it."""
    def refuse(name):
        raise Malformed(f"{name} is not JSON")
    try:
        return json.loads(data, parse_constant=refuse)
    except (ValueError, RecursionError) as error:
        raise Malformed(f"the message is not JSON: {error}") from None

# Names

def token(text):
    safe = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-"
    return "".join(chr(b) if chr(b) in safe else f"={b:02x}" for b in text.encode())

def key_of(execution_id, caller=None):
    if not 1 <= len(execution_id) <= 256:
        raise Malformed("an execution id has 1 to 256 characters")
    if caller:
        return f"{token(caller)}.{token(execution_id)}"
    return execution_id if re.fullmatch(r"[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+", execution_id) else f"id.{token(execution_id)}"

# Fingerprints

def number(value):
    """As JavaScript writes it: the shortest digits of a double, and an exponent below 1e-6 and from 1e21 on."""
    try:
        value = float(value)
    except OverflowError:
        return "null"
    if value in (float("inf"), float("-inf")):
        return "null"
    if value == 0:
        return "0"
    sign, digits, exponent = Decimal(repr(value)).as_tuple()
    point, digits = len(digits) + exponent, "".join(map(str, digits)).rstrip("0")
    if 0 < point <= 21:
        text = digits.ljust(point, "0")[:point] + (f".{digits[point:]}" if len(digits) > point else "")
    elif -6 < point <= 0:
        text = f"0.{'0' * -point}{digits}"
    else:
        text = digits[0] + (f".{digits[1:]}" if digits[1:] else "") + f"e{point - 1:+d}"
    return f"-{text}" if sign else text

def quoted(text):
    return re.sub("[\ud800-\udfff]", lambda lone: f"\\u{ord(lone[0]):04x}", json.dumps(text, ensure_ascii=False))

def order(name):
    """Numbers first, by value, and then the others by their 16-bit units."""
    if re.fullmatch("0|[1-9][0-9]{0,9}", name) and int(name) < 2**32 - 1:
        return (0, int(name), b"")
    return (1, 0, name.encode("utf-16-be", "surrogatepass"))

def canonical(value):
    if isinstance(value, dict):
        return "{" + ",".join(f"{quoted(name)}:{canonical(value[name])}" for name in sorted(value, key=order)) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(canonical, value)) + "]"
    if isinstance(value, str):
        return quoted(value)
    return json.dumps(value) if value is None or isinstance(value, bool) else number(value)

def fingerprint(call):
    args, version = call.get("arguments"), call.get("version")
    args = args if isinstance(args, str) else canonical({} if args is None else args)
    text = f"{call['name']}@{version if isinstance(version, str) else ''}:{args}"
    units, high, low, mask = text.encode("utf-16-le", "surrogatepass"), 0xDEADBEEF, 0x41C6CE57, 0xFFFFFFFF
    for i in range(0, len(units), 2):
        code = units[i] | units[i + 1] << 8
        high, low = (high ^ code) * 2654435761 & mask, (low ^ code) * 1597334677 & mask
    high = (high ^ high >> 16) * 2246822507 & mask ^ (low ^ low >> 13) * 3266489909 & mask
    low = (low ^ low >> 16) * 2246822507 & mask ^ (high ^ high >> 13) * 3266489909 & mask
    return f"{high:08x}{low:08x}"

# Entries of the ledger

def read_entry(nats, key):
    """The entry and its revision: (None, 0) where there is none, and the state "lost" for what is no entry."""
    found = nats.request(f"$JS.API.DIRECT.GET.KV_TOOL_LEDGER.$KV.TOOL_LEDGER.{key}")
    if found.status == "404":
        return None, 0
    revision = int(found.header("Nats-Sequence"))
    try:
        entry = parse(found.data)
        whole = isinstance(entry["fingerprint"], str) and (
            entry["state"] == "final" and ("result" in entry or "object" in entry)
            or entry["state"] == "waiting" and isinstance(entry["result"]["waiting"]["kind"], str)
            or entry["state"] == "started" and isinstance(entry["worker"], str) and isinstance(entry["attempt"], int))
    except (Malformed, KeyError, TypeError):
        whole = False
    written = found.header("KV-Operation") is None and len(found.values("Nats-Stream")) == 1
    return (entry if whole and written else {"state": "lost"}), revision

def write_entry(nats, key, entry, revision):
    """Compare-and-set. The new revision, or None when somebody else wrote. Without an answer it is repeated."""
    text = json.dumps(entry)
    while True:
        try:
            headers = {"Nats-Expected-Last-Subject-Sequence": revision}
            answer = nats.request(f"$KV.TOOL_LEDGER.{key}", text, headers).json()
            if "error" not in answer:
                return answer["seq"]
            if answer["error"].get("err_code") != 10071:
                raise RuntimeError(answer["error"]["description"])
            stands, at = read_entry(nats, key)
            return at if stands == json.loads(text) else None
        except (queue.Empty, LookupError):
            pass

# Large texts

def most(nats):
    return min(512 * 1024, nats.info["max_payload"] - 4096)

def fit(nats, name, text):
    """A text as it can be sent: itself, or the name of its pieces."""
    data, size = text.encode(), most(nats)
    if len(data) <= size:
        return text
    name, pieces = f"{name}.{secrets.token_hex(8)}", [data[i:i + size] for i in range(0, len(data), size)]
    for i, piece in enumerate(pieces):
        headers = {"Tool-Pieces": len(pieces)} if i == 0 else None
        if "error" in (answer := nats.request(f"$KV.AGENT_OBJECTS.{name}.{i}", piece, headers).json()):
            raise RuntimeError(answer["error"]["description"])
    return json.dumps({"object": name}, separators=(",", ":"))

def load(nats, name):
    if not isinstance(name, str) or not re.fullmatch(r"[A-Za-z0-9_=-]+(\.[A-Za-z0-9_=-]+)+", name):
        raise Malformed("that is not the name of a large text")
    def piece(i):
        found = nats.request(f"$JS.API.DIRECT.GET.KV_AGENT_OBJECTS.$KV.AGENT_OBJECTS.{name}.{i}")
        if found.status or len(found.values("Nats-Stream")) != 1:
            raise Malformed(f"the large text {name} is not there, or no longer whole")
        return found
    first = piece(0)
    count = first.header("Tool-Pieces") or ""
    if not re.fullmatch("[1-9][0-9]{0,3}|10000", count):
        raise Malformed(f"the large text {name} does not say how many pieces it has")
    return b"".join([first.data] + [piece(i).data for i in range(1, int(count))])
