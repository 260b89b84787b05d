# Servers for `peers/run http3`: HTTP/3 by aioquic on UDP alone; HTTP/1.1 over TLS without UDP, and with UDP that nobody answers; both on
# one port, where HTTP/1.1 offers HTTP/3 by Alt-Svc; and a gateway from HTTP/3 to the servers of the transport suite.
# usage: http3.py SECONDS CERTIFICATE KEY; prints their ports on one line, ends by itself.
import asyncio
import ssl
import sys

from aioquic.asyncio import QuicConnectionProtocol, serve
from aioquic.buffer import encode_uint_var
from aioquic.h3.connection import H3_ALPN, FrameType, H3Connection, encode_frame
from aioquic.h3.events import DataReceived, HeadersReceived
from aioquic.quic.configuration import QuicConfiguration
from aioquic.quic.events import ConnectionTerminated, ProtocolNegotiated, StopSendingReceived, StreamReset

connections = 0
# Ports whose HTTP/1.1 offers HTTP/3.
offering = set()


def respond(method, path, body):
    """Status and content."""
    if path.startswith("/bytes/"):
        count = int(path[7:])
        return 200, bytes(i % 251 for i in range(min(count, 251))) * (count // 251 + 1), count
    if path == "/echo":
        return 200, f"{method} {len(body)} {sum(body) % 65521}".encode(), None
    if path == "/connections":
        return 200, str(connections).encode(), None
    if path == "/404":
        return 404, b"nothing", None
    return 200, b"hello", None


class Server(QuicConnectionProtocol):
    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        self.http = None
        self.requests = {}

    def quic_event_received(self, event):
        global connections
        if isinstance(event, ProtocolNegotiated):
            connections += 1
            self.http = H3Connection(self._quic)
        if self.http is None:
            return
        for event in self.http.handle_event(event):
            if isinstance(event, HeadersReceived):
                self.requests[event.stream_id] = (dict(event.headers), bytearray())
            if isinstance(event, DataReceived):
                self.requests[event.stream_id][1].extend(event.data)
            if isinstance(event, (HeadersReceived, DataReceived)) and event.stream_ended:
                self.finish(event.stream_id)

    def finish(self, stream):
        headers, body = self.requests.pop(stream)
        method, path = headers[b":method"].decode(), headers[b":path"].decode()
        if path == "/silent":
            return
        if path == "/cut":
            # A head, a part of the content, and no more packets: not even a word of farewell.
            self.http.send_headers(stream, [(b":status", b"200"), (b"content-length", b"1000000")])
            self.http.send_data(stream, b"x" * 1000, end_stream=False)
            self.transmit()
            self._quic.close(error_code=0x0102)
            self.transmit()
            return
        if path == "/goaway":
            # No request after this one is taken on this connection (RFC 9114, 5.2).
            frame = encode_frame(FrameType.GOAWAY, encode_uint_var(stream + 4))
            self._quic.send_stream_data(self.http._local_control_stream_id, frame)
        status, content, count = respond(method, path, body)
        content = content if count is None else content[:count]
        fields = [(b":status", str(status).encode()), (b"x-b", b"1"), (b"x-a", b"2"), (b"x-b", b"3")]
        fields.append((b"content-length", str(len(content)).encode()))
        self.http.send_headers(stream, fields)
        self.http.send_data(stream, content, end_stream=True)
        self.transmit()


async def over_tcp(reader, writer):
    try:
        while True:
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            content = b"hello"
            port = writer.get_extra_info("sockname")[1]
            offer = b"Alt-Svc: h3=\":%d\"; ma=600\r\n" % port if port in offering else b""
            writer.write(b"HTTP/1.1 200 OK\r\n%sContent-Length: %d\r\n\r\n%s" % (offer, len(content), content))
            await writer.drain()
            if "connection: close" in head.lower():
                return
    except (asyncio.IncompleteReadError, ConnectionError, ssl.SSLError):
        pass
    finally:
        writer.close()


# The gateway turns HTTP/3 into HTTP/1.1: each request goes to the server on 127.0.0.1 whose port the field x-peer names, on a
# connection of its own. What happens to that connection happens to the stream: a cut resets it, and a stream that the client
# gives up closes the connection.
NO_ERROR, INTERNAL_ERROR = 0x100, 0x102
# Fields of one HTTP/1.1 connection, which HTTP/3 does not have (RFC 9114, 4.2).
HOP = {b"connection", b"keep-alive", b"transfer-encoding", b"proxy-connection", b"upgrade"}
# So much waits in a stream before its server is read on.
AHEAD = 256 << 10


class Gateway(QuicConnectionProtocol):
    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        self.http = None
        # Of each stream: what is still to be sent to its server, and the task that does.
        self.bodies = {}
        self.tasks = {}

    def quic_event_received(self, event):
        if isinstance(event, ProtocolNegotiated):
            self.http = H3Connection(self._quic)
        if isinstance(event, ConnectionTerminated):
            for stream in list(self.tasks):
                self.give_up(stream)
        if isinstance(event, (StreamReset, StopSendingReceived)):
            self.give_up(event.stream_id)
        if self.http is None:
            return
        for event in self.http.handle_event(event):
            stream = getattr(event, "stream_id", None)
            if isinstance(event, HeadersReceived) and stream not in self.tasks:
                self.bodies[stream] = asyncio.Queue()
                work = self.exchange(stream, event.headers, not event.stream_ended)
                self.tasks[stream] = asyncio.ensure_future(work)
            if isinstance(event, DataReceived) and stream in self.bodies:
                if event.data:
                    self.bodies[stream].put_nowait(event.data)
                if event.stream_ended:
                    self.bodies[stream].put_nowait(None)

    def give_up(self, stream):
        task = self.tasks.pop(stream, None)
        if task is not None:
            task.cancel()

    async def exchange(self, stream, fields, has_body):
        pseudo = {name: value for name, value in fields if name.startswith(b":")}
        named = dict(fields)
        port = int(named[b"x-peer"])
        writer = pump = None
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1 << 20)
            lines = [pseudo[b":method"] + b" " + pseudo[b":path"] + b" HTTP/1.1", b"Host: 127.0.0.1:%d" % port]
            lines += [n + b": " + v for n, v in fields if not n.startswith(b":") and n != b"x-peer"]
            is_chunked = has_body and b"content-length" not in named
            if is_chunked:
                lines.append(b"Transfer-Encoding: chunked")
            writer.write(b"\r\n".join(lines) + b"\r\n\r\n")
            if has_body:
                pump = asyncio.ensure_future(self.upload(self.bodies[stream], writer, is_chunked))
            await self.download(stream, reader, pseudo[b":method"])
            if has_body and not pump.done():
                # The response came before the whole request was read.
                self._quic.stop_stream(stream, NO_ERROR)
                self.transmit()
        except (asyncio.IncompleteReadError, asyncio.LimitOverrunError, OSError, ValueError):
            self._quic.reset_stream(stream, INTERNAL_ERROR)
            self.transmit()
        finally:
            self.tasks.pop(stream, None)
            self.bodies.pop(stream, None)
            if pump is not None:
                pump.cancel()
            if writer is not None:
                writer.transport.abort()

    async def upload(self, body, writer, is_chunked):
        while (piece := await body.get()) is not None:
            writer.write(b"%x\r\n%s\r\n" % (len(piece), piece) if is_chunked else piece)
            await writer.drain()
        if is_chunked:
            writer.write(b"0\r\n\r\n")
            await writer.drain()

    async def download(self, stream, reader, method):
        status = 100
        while status < 200:
            head = (await reader.readuntil(b"\r\n\r\n")).split(b"\r\n")
            status = int(head[0].split(b" ")[1])
        fields = [tuple(part.strip() for part in line.split(b":", 1)) for line in head[1:] if line]
        fields = [(name.lower(), value) for name, value in fields]
        named = dict(fields)
        sent = [(b":status", b"%d" % status)] + [field for field in fields if field[0] not in HOP]
        is_empty = method == b"HEAD" or status in (204, 304)
        self.http.send_headers(stream, sent, end_stream=is_empty)
        self.transmit()
        if is_empty:
            return
        async for piece in content(reader, named):
            self.http.send_data(stream, piece, end_stream=False)
            self.transmit()
            while len(self._quic._streams[stream].sender._buffer) > AHEAD:
                await asyncio.sleep(0.005)
        self.http.send_data(stream, b"", end_stream=True)
        self.transmit()


async def content(reader, named):
    """The pieces of a response's content as they come; fails where it is cut."""
    if b"chunked" in named.get(b"transfer-encoding", b""):
        while size := int((await reader.readuntil(b"\r\n")).split(b";")[0], 16):
            yield await reader.readexactly(size)
            await reader.readexactly(2)
        await reader.readuntil(b"\r\n")
        return
    left = int(named[b"content-length"]) if b"content-length" in named else None
    while left is None or left > 0:
        piece = await reader.read(65536 if left is None else min(left, 65536))
        if not piece:
            if left is None:
                return
            raise asyncio.IncompleteReadError(b"", left)
        left = None if left is None else left - len(piece)
        yield piece


async def main():
    seconds, certificate, key = sys.argv[1:]
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(certificate, key)
    tls.set_alpn_protocols(["http/1.1"])
    alone = await asyncio.start_server(over_tcp, "127.0.0.1", 0, ssl=tls)
    swallowing = await asyncio.start_server(over_tcp, "127.0.0.1", 0, ssl=tls)
    swallowed = swallowing.sockets[0].getsockname()[1]
    loop = asyncio.get_running_loop()
    await loop.create_datagram_endpoint(asyncio.DatagramProtocol, local_addr=("127.0.0.1", swallowed))
    both = await asyncio.start_server(over_tcp, "127.0.0.1", 0, ssl=tls)
    offered = both.sockets[0].getsockname()[1]
    # One offers what is there, the other what nobody answers.
    offering.update([offered, swallowed])
    quic = QuicConfiguration(alpn_protocols=H3_ALPN, is_client=False, max_datagram_frame_size=65536)
    quic.load_cert_chain(certificate, key)
    server = await serve("127.0.0.1", 0, configuration=quic, create_protocol=Server)
    await serve("127.0.0.1", offered, configuration=quic, create_protocol=Server)
    port = server._transport.get_extra_info("sockname")[1]
    gateway = await serve("127.0.0.1", 0, configuration=quic, create_protocol=Gateway)
    passing = gateway._transport.get_extra_info("sockname")[1]
    tcp = alone.sockets[0].getsockname()[1]
    print(f"quic={port} tcp={tcp} swallowed={swallowed} offered={offered} gateway={passing}", flush=True)
    await asyncio.sleep(float(seconds))


asyncio.run(main())
