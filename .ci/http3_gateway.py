# What turns HTTP/3 into HTTP/1.1, for http3-server.py: each request goes to the server on 127.0.0.1 whose port the field
# x-peer names, on a connection of its own. What happens to that connection happens to the stream: a cut resets it, and a
# stream that the client gives up closes the connection.
import asyncio

from aioquic.asyncio import QuicConnectionProtocol
from aioquic.h3.connection import H3Connection
from aioquic.h3.events import DataReceived, HeadersReceived
from aioquic.quic.events import ConnectionTerminated, ProtocolNegotiated, StopSendingReceived, StreamReset

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
