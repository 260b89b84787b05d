"""An HTTP/2 server that ends exchanges in the ways a transport has to tell apart, and counts what it has executed.

A request `/act?key=…&mode=…` is executed: the first one of its key as the mode says, all others with a 200.
`/count?key=…` tells how often. Needs the package `h2`. Prints its port when it listens.
"""
import asyncio
import socket
import ssl
import struct
import sys
from urllib.parse import parse_qs, urlsplit

from h2.config import H2Configuration
from h2.connection import H2Connection
from h2.errors import ErrorCodes
from h2.events import DataReceived, RequestReceived, StreamEnded

executions: dict[str, int] = {}
arrivals: dict[str, int] = {}


class Server(asyncio.Protocol):
    def connection_made(self, transport):
        self.transport = transport
        self.wire = H2Connection(H2Configuration(client_side=False))
        self.wire.initiate_connection()
        self.requests = {}
        self.flush()

    def flush(self):
        self.transport.write(self.wire.data_to_send())

    def data_received(self, data):
        try:
            events = self.wire.receive_data(data)
        except Exception:
            self.transport.abort()
            return
        for event in events:
            if isinstance(event, RequestReceived):
                path = dict(event.headers)[b":path"].decode()
                self.requests[event.stream_id] = path
                if self.mode(path) == "reset-before":
                    arrivals[parse_qs(urlsplit(path).query)["key"][0]] = 1
                    return self.reset()
            elif isinstance(event, DataReceived):
                self.wire.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
            elif isinstance(event, StreamEnded):
                if self.answer(event.stream_id, self.requests.pop(event.stream_id)):
                    return
        self.flush()

    def mode(self, path):
        parts = urlsplit(path)
        query = {name: values[0] for name, values in parse_qs(parts.query).items()}
        if parts.path != "/act":
            return None
        mode, key = query["mode"], query["key"]
        return mode if mode.endswith("always") or key not in arrivals else None

    def answer(self, stream, path):
        """Returns whether the connection is over."""
        mode = self.mode(path)
        parts = urlsplit(path)
        key = parse_qs(parts.query).get("key", [""])[0]
        if parts.path == "/count":
            self.respond(stream, str(executions.get(key, 0)))
            return False
        if parts.path != "/act":
            self.respond(stream, "ok")
            return False
        arrivals[key] = arrivals.get(key, 0) + 1
        if mode in ("refuse", "refuse-always"):
            self.wire.reset_stream(stream, ErrorCodes.REFUSED_STREAM)
            return False
        if mode in ("goaway-without", "goaway-without-open"):
            self.wire.close_connection(last_stream_id=max(0, stream - 2))
            self.flush()
            if mode == "goaway-without":
                self.transport.close()
            return True
        executions[key] = executions.get(key, 0) + 1
        if mode == "reset-behind":
            self.reset()
            return True
        if mode == "end-behind":
            self.transport.close()
            return True
        if mode == "goaway-with":
            self.wire.close_connection(last_stream_id=stream)
            self.flush()
            self.transport.close()
            return True
        if mode == "cancel":
            self.wire.reset_stream(stream, ErrorCodes.CANCEL)
            return False
        if mode == "reset-inside":
            self.wire.send_headers(stream, [(":status", "200"), ("content-length", "10")])
            self.wire.send_data(stream, b"abc")
            self.flush()
            asyncio.get_running_loop().call_later(0.05, self.reset)
            return True
        self.respond(stream, "ok")
        return False

    def respond(self, stream, text):
        self.wire.send_headers(stream, [(":status", "200"), ("content-length", str(len(text)))])
        self.wire.send_data(stream, text.encode(), end_stream=True)

    def reset(self):
        raw = self.transport.get_extra_info("socket")
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.transport.abort()


async def main(certificate, key):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    context.set_alpn_protocols(["h2"])
    server = await asyncio.get_running_loop().create_server(Server, "127.0.0.1", 0, ssl=context)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


asyncio.run(main(sys.argv[1], sys.argv[2]))
