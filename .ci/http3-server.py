# Servers for .ci/http3: HTTP/3 by aioquic on UDP alone; HTTP/1.1 over TLS without UDP, and with UDP that nobody answers; both on
# one port, where HTTP/1.1 offers HTTP/3 by Alt-Svc; and a gateway from HTTP/3 to the servers of the transport suite.
# usage: http3-server.py SECONDS CERTIFICATE KEY; prints their ports on one line, ends by itself.
import asyncio
import ssl
import sys

from aioquic.asyncio import QuicConnectionProtocol, serve
from aioquic.buffer import encode_uint_var
from aioquic.h3.connection import H3_ALPN, FrameType, H3Connection, encode_frame
from aioquic.h3.events import DataReceived, HeadersReceived
from aioquic.quic.configuration import QuicConfiguration
from aioquic.quic.events import ProtocolNegotiated

from http3_gateway import Gateway

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
