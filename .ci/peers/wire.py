"""Servers that others have written, for the wire: h11 on sockets of its own, and aiohttp. Each tells what it was sent.

`/MODE/…` chooses how the response is delimited: length, chunked, trailers, close, interim, gzip. A request that h11 refuses has
a 400 that says why. Needs the packages `h11` and `aiohttp`. Prints `h11=PORT aiohttp=PORT` when both listen.
"""
import asyncio
import gzip
import json
import socket
import sys
import threading
import zlib

import h11
from aiohttp import web


def told(method, target, fields, content):
    text = {
        "method": method,
        "target": target,
        "fields": {name.lower(): value for name, value in fields},
        "count": len(content),
        "sum": zlib.adler32(content),
    }
    return json.dumps(text).encode()


def serve(peer):
    peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    wire = h11.Connection(h11.SERVER, max_incomplete_event_size=1 << 20)

    def send(event):
        data = wire.send(event)
        if data:
            peer.sendall(data)

    def event():
        while True:
            found = wire.next_event()
            if found is not h11.NEED_DATA:
                return found
            if wire.they_are_waiting_for_100_continue:
                send(h11.InformationalResponse(status_code=100, headers=[]))
            wire.receive_data(peer.recv(65536))

    try:
        while True:
            request = event()
            if not isinstance(request, h11.Request):
                return
            content = bytearray()
            while isinstance(piece := event(), h11.Data):
                content += piece.data
            respond(send, request, bytes(content))
            if wire.our_state is not h11.DONE or wire.their_state is not h11.DONE:
                return
            wire.start_next_cycle()
    except h11.RemoteProtocolError as error:
        try:
            text = str(error).encode()
            send(h11.Response(status_code=400, headers=[("Content-Length", str(len(text))), ("Connection", "close")]))
            send(h11.Data(data=text))
            send(h11.EndOfMessage())
        except Exception:
            pass
    except OSError:
        pass
    finally:
        peer.close()


def respond(send, request, content):
    target = request.target.decode()
    mode = target.split("/")[1]
    fields = [(name.decode(), value.decode("latin-1")) for name, value in request.headers]
    text = told(request.method.decode(), target, fields, content)
    headers = [("Content-Type", "application/json")]
    if mode == "gzip":
        text = gzip.compress(text)
        headers.append(("Content-Encoding", "gzip"))
    if mode in ("length", "interim", "gzip"):
        headers.append(("Content-Length", str(len(text))))
    elif mode == "close":
        headers.append(("Connection", "close"))
    else:
        headers.append(("Transfer-Encoding", "chunked"))
    if mode == "interim":
        send(h11.InformationalResponse(status_code=103, headers=[("Link", "</a>")]))
    send(h11.Response(status_code=200, headers=headers, reason=b"OK"))
    if request.method != b"HEAD":
        for start in range(0, len(text), 20 if mode in ("chunked", "trailers") else 1 << 20):
            send(h11.Data(data=text[start : start + (20 if mode in ("chunked", "trailers") else 1 << 20)]))
    send(h11.EndOfMessage(headers=[("X-Sum", "1")] if mode == "trailers" and request.method != b"HEAD" else []))


def listen():
    listener = socket.create_server(("127.0.0.1", 0), backlog=128)

    def accept():
        while True:
            peer, _ = listener.accept()
            threading.Thread(target=serve, args=(peer,), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    return listener.getsockname()[1]


async def handle(request):
    content = await request.read()
    mode = request.path.split("/")[1]
    text = told(request.method, request.raw_path, request.headers.items(), content)
    if mode in ("chunked", "trailers"):
        response = web.StreamResponse()
        response.enable_chunked_encoding()
        await response.prepare(request)
        if request.method != "HEAD":
            for start in range(0, len(text), 20):
                await response.write(text[start : start + 20])
        await response.write_eof()
        return response
    response = web.Response(body=text, content_type="application/json")
    if mode == "gzip":
        response.enable_compression(web.ContentCoding.gzip)
    if mode == "close":
        response.force_close()
    return response


async def main():
    application = web.Application(client_max_size=64 << 20)
    application.router.add_route("*", "/{rest:.*}", handle)
    runner = web.AppRunner(application, access_log=None)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    print(f"h11={listen()} aiohttp={runner.addresses[0][1]}", flush=True)
    # Nobody lives longer than those who ask.
    await asyncio.sleep(float(sys.argv[1]) if len(sys.argv) > 1 else 600)


asyncio.run(main())
