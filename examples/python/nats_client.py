"""As much of a NATS client as the fleet's protocol needs: publish, subscribe, request, with headers. Standard library only."""
import json, queue, secrets, socket, sys, threading

class Message:
    def __init__(self, subject, reply, head, data):
        self.subject, self.reply, self.data = subject, reply, data
        lines = head.decode().split("\r\n")
        self.status = lines[0][len("NATS/1.0"):].strip()[:3] if head else ""
        self._headers = [line.split(":", 1) for line in lines[1:] if ":" in line]

    def values(self, name):
        """All values of a header: whoever looks at one must know whether there are more."""
        return [value.strip() for each, value in self._headers if each == name]

    def header(self, name):
        return next(iter(self.values(name)), None)

    def json(self):
        return json.loads(self.data)

class Nats:
    def __init__(self, url, user=None, password=None):
        host, port = url.removeprefix("nats://").split(":")
        self._socket = socket.create_connection((host, int(port)))
        self._reader, self._lock, self._handlers = self._socket.makefile("rb"), threading.Lock(), {}
        self.info = json.loads(self._reader.readline().split(b" ", 1)[1])
        options = {"verbose": False, "pedantic": False, "headers": True, "no_responders": True, "lang": "python", "version": "0"}
        self._send(b"CONNECT %s\r\n" % json.dumps(options | ({"user": user, "pass": password} if user else {})).encode())
        threading.Thread(target=self._read, daemon=True).start()

    def _send(self, data):
        with self._lock:
            self._socket.sendall(data)

    def _read(self):
        while line := self._reader.readline():
            words = line.decode().split()
            if words[:1] == ["PING"]:
                self._send(b"PONG\r\n")
            elif words[:1] == ["-ERR"]:
                print("nats:", line.decode().strip(), file=sys.stderr)
            elif words[:1] in (["MSG"], ["HMSG"]):
                sizes = 2 if words[0] == "HMSG" else 1
                total, head = int(words[-1]), int(words[-2]) if sizes == 2 else 0
                body = self._reader.read(total + 2)[:-2]
                reply = words[3] if len(words) > 3 + sizes else ""
                handler = self._handlers.get(words[2])
                try:
                    if handler:
                        handler(Message(words[1], reply, body[:head], body[head:]))
                except Exception as error:  # Anybody may send anything; the next message is read all the same.
                    print("message:", repr(error), file=sys.stderr)

    def publish(self, subject, data=b"", reply="", headers=None):
        data = data if isinstance(data, bytes) else data.encode()
        head = "".join(f"{name}: {value}\r\n" for name, value in (headers or {}).items())
        head = f"NATS/1.0\r\n{head}\r\n".encode() if headers else b""
        verb, sizes = ("HPUB", f"{len(head)} {len(head) + len(data)}") if headers else ("PUB", str(len(data)))
        self._send(f"{verb} {subject} {reply} {sizes}\r\n".encode() + head + data + b"\r\n")

    def subscribe(self, subject, handler):
        sid = secrets.token_hex(4)
        self._handlers[sid] = handler
        self._send(f"SUB {subject} {sid}\r\n".encode())
        return sid

    def request(self, subject, data=b"", headers=None, timeout=5):
        """The first answer. Raises queue.Empty when none came, and LookupError when nobody is there to give one."""
        answers, inbox = queue.Queue(), f"_INBOX.{secrets.token_hex(8)}"
        sid = self.subscribe(inbox, answers.put)
        try:
            self.publish(subject, data, inbox, headers)
            answer = answers.get(timeout=timeout)
        finally:
            self._handlers.pop(sid)
            self._send(f"UNSUB {sid}\r\n".encode())
        if answer.status == "503":
            raise LookupError(f"nobody answers on {subject}")
        return answer
