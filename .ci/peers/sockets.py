"""A WebSocket server that others have written, for `peers/run sockets`: it sends back what comes, and prints its port.

usage: sockets.py websockets|wsproto|aiohttp|nginx|strawberry|ariadne
       sockets.py hypercorn CERTIFICATE KEY

Texts that are commands: `close CODE` closes with that code, `ping` sends a ping and comes back after its pong, `fragments`
comes back in three, with a ping between, `last` brings the code with which the connection before was closed, `die` ends the
process in the middle of a message. `nginx` is one before `websockets`. `hypercorn` speaks HTTP/2 over
TLS, WebSockets on its streams as well; `version` brings the version of HTTP that it sees. Ends with its standard input, and by
itself after a minute.

`strawberry` and `ariadne` speak GraphQL (graphql-transport-ws). `connection_init` has to have a `token` "right": the first refuses
others with 4403, the second with 1000. `count(to)` ends by itself, and `fails` fails after its first number. `prices` breaks its
connection behind its first number when it runs for the first time, and goes on from there without an end the next time. `running`
says how many of them run.
"""
import asyncio
import logging
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading

# The head of a message of 4096 bytes, and 100 of them.
CUT = b"\x82\x7e\x10\x00" + bytes(100)
LIMIT = 1 << 24
last = "none"


def die(write):
    write(CUT)
    os._exit(1)


async def websockets_peer():
    import websockets

    async def echo(peer):
        global last
        try:
            async for message in peer:
                if message == "last":
                    message = last
                elif message == "die":
                    die(peer.transport.write)
                elif message == "ping":
                    await (await peer.ping(b"x"))
                elif message == "fragments":
                    await peer.send(["frag", "men", "ts"])
                    continue
                elif isinstance(message, str) and message.startswith("close "):
                    await peer.close(int(message[6:]), "as asked")
                    return
                await peer.send(message)
        except websockets.ConnectionClosed:
            pass
        finally:
            last = str(peer.close_code)

    server = await websockets.serve(
        echo, "127.0.0.1", 0, compression="deflate", max_size=LIMIT, subprotocols=["echo"]
    )
    return server.sockets[0].getsockname()[1]


def wsproto_peer():
    from wsproto import ConnectionType, WSConnection, events
    from wsproto.extensions import PerMessageDeflate

    def serve(peer):
        global last
        wire = WSConnection(ConnectionType.SERVER)
        text, data, waits = [], [], False
        send = lambda event: peer.sendall(wire.send(event))

        def take(message):
            nonlocal waits
            if message == "last":
                message = last
            elif message == "die":
                die(peer.sendall)
            elif message == "ping":
                waits = True
                return send(events.Ping(payload=b"x"))
            elif message == "fragments":
                send(events.TextMessage("frag", message_finished=False))
                send(events.Ping(payload=b"y"))
                send(events.TextMessage("men", message_finished=False))
                return send(events.TextMessage("ts"))
            elif isinstance(message, str) and message.startswith("close "):
                return send(events.CloseConnection(int(message[6:]), "as asked"))
            send(events.Message(data=message))

        while bytes := peer.recv(65536):
            wire.receive_data(bytes)
            for event in wire.events():
                if isinstance(event, events.Request):
                    known = [name for name in event.subprotocols if name == "echo"]
                    send(events.AcceptConnection(known[0] if known else None, [PerMessageDeflate()]))
                elif isinstance(event, events.TextMessage):
                    text.append(event.data)
                    if event.message_finished:
                        whole, text = "".join(text), []
                        take(whole)
                elif isinstance(event, events.BytesMessage):
                    data.append(event.data)
                    if event.message_finished:
                        whole, data = b"".join(data), []
                        take(whole)
                elif isinstance(event, events.Ping):
                    send(event.response())
                elif isinstance(event, events.Pong) and waits and event.payload == b"x":
                    waits = False
                    send(events.TextMessage("ping"))
                elif isinstance(event, events.CloseConnection):
                    last = str(event.code)
                    try:
                        send(event.response())
                    except Exception:
                        pass  # It is the response to ours.
                    return peer.close()

    listener = socket.create_server(("127.0.0.1", 0))

    def accept():
        while True:
            threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    return listener.getsockname()[1]


async def aiohttp_peer():
    from aiohttp import WSMsgType, web

    async def echo(request):
        global last
        peer = web.WebSocketResponse(protocols=["echo"], max_msg_size=LIMIT, autoping=False)
        await peer.prepare(request)
        async for message in peer:
            if message.type == WSMsgType.PING:
                await peer.pong(message.data)
            elif message.type == WSMsgType.PONG:
                await peer.send_str("ping")
            elif message.type == WSMsgType.BINARY:
                await peer.send_bytes(message.data)
            elif message.data == "die":
                die(request.transport.write)
            elif message.data == "ping":
                await peer.ping(b"x")
            elif message.data.startswith("close "):
                await peer.close(code=int(message.data[6:]), message=b"as asked")
            else:
                await peer.send_str(last if message.data == "last" else message.data)
        last = str(peer.close_code)
        return peer

    return await run(web, ("GET", "/", echo))


async def hypercorn_peer():
    from hypercorn.asyncio import serve
    from hypercorn.config import Config

    async def echo(scope, receive, send):
        if scope["type"] == "http":
            await send({"type": "http.response.start", "status": 200, "headers": []})
            return await send({"type": "http.response.body", "body": b"ok"})
        if scope["type"] != "websocket":
            return
        await receive()
        if scope["path"] == "/refused":
            return await send({"type": "websocket.close"})
        await send({"type": "websocket.accept", "subprotocol": "echo"})
        while (event := await receive())["type"] == "websocket.receive":
            text = event.get("text")
            if text is None:
                await send({"type": "websocket.send", "bytes": event["bytes"]})
            elif text.startswith("close "):
                return await send({"type": "websocket.close", "code": int(text[6:]), "reason": "as asked"})
            else:
                await send({"type": "websocket.send", "text": scope["http_version"] if text == "version" else text})

    listener = socket.create_server(("127.0.0.1", 0))
    port = listener.getsockname()[1]
    config = Config()
    config.bind = [f"fd://{listener.detach()}"]
    config.certfile, config.keyfile = sys.argv[2:4]
    config.websocket_max_message_size = LIMIT
    config.loglevel = "CRITICAL"
    serving.append(asyncio.ensure_future(serve(echo, config, shutdown_trigger=asyncio.Event().wait)))
    return port


async def run(web, route):
    application = web.Application()
    application.router.add_route(*route)
    runner = web.AppRunner(application, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    return runner.addresses[0][1]


async def nginx_peer():
    # A process of its own: it may die without nginx.
    server = subprocess.Popen([sys.executable, __file__, "websockets"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    behind = int(server.stdout.readline())
    directory = tempfile.mkdtemp(prefix="socket-peer-")
    os.chmod(directory, 0o755)  # nginx gives its folders to another user
    folders = " ".join(f"{name}_temp_path {directory}/{name};" for name in ["proxy", "fastcgi", "uwsgi", "scgi"])
    for _ in range(5):  # somebody may take the port that was free
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        with open(f"{directory}/nginx.conf", "w") as file:
            file.write(
                f"""
                pid {directory}/pid; error_log {directory}/error.log; worker_processes 1; daemon off;
                events {{ worker_connections 64; }}
                http {{
                    access_log off; client_body_temp_path {directory}/body; {folders}
                    server {{
                        listen 127.0.0.1:{port};
                        location / {{
                            proxy_pass http://127.0.0.1:{behind}; proxy_http_version 1.1;
                            proxy_set_header Upgrade $http_upgrade; proxy_set_header Connection upgrade;
                        }}
                    }}
                }}"""
            )
        command = ["timeout", "60", os.environ["SOCKET_NGINX"], "-p", directory, "-c", f"{directory}/nginx.conf"]
        child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while child.poll() is None:
            try:
                socket.create_connection(("127.0.0.1", port)).close()
                children.append((child, server, directory))
                return port
            except OSError:
                await asyncio.sleep(0.02)
    raise SystemExit("nginx does not start")


# GraphQL
running = asked = 0


async def count(to):
    for number in range(1, to + 1):
        yield number
        await asyncio.sleep(0)  # the server is to hear what else is said


async def fails():
    yield 1
    raise ValueError("as asked")


async def prices(cut):
    global running, asked
    asked += 1
    first = asked == 1
    running += 1
    try:
        yield asked
        if first:
            await cut()
        while True:
            yield asked + 1
            await asyncio.sleep(0.01)
    finally:
        running -= 1


async def strawberry_peer():
    import strawberry
    from aiohttp import web
    from collections.abc import AsyncGenerator
    from strawberry.aiohttp.views import GraphQLView
    from strawberry.exceptions import ConnectionRejectionError

    class Query:
        @strawberry.field
        def running(self) -> int:
            return running

    class Subscription:
        @strawberry.subscription
        async def count(self, to: int) -> AsyncGenerator[int, None]:
            async for number in count(to):
                yield number

        @strawberry.subscription
        async def fails(self) -> AsyncGenerator[int, None]:
            async for number in fails():
                yield number

        @strawberry.subscription
        async def prices(self, info: strawberry.Info) -> AsyncGenerator[int, None]:
            async def cut():
                info.context["request"].transport.abort()

            numbers = prices(cut)
            try:
                async for number in numbers:
                    yield number
            finally:
                await numbers.aclose()

    class View(GraphQLView):
        async def on_ws_connect(self, context):
            if context["connection_params"].get("token") != "right":
                raise ConnectionRejectionError()
            return await super().on_ws_connect(context)

    logging.disable(logging.CRITICAL)  # what a client does wrong is no news here
    schema = strawberry.Schema(strawberry.type(Query), subscription=strawberry.type(Subscription))
    return await run(web, ("GET", "/", View(schema)))


async def ariadne_peer():
    import uvicorn
    from ariadne import QueryType, SubscriptionType, make_executable_schema
    from ariadne.asgi import GraphQL
    from ariadne.asgi.handlers import GraphQLTransportWSHandler
    from ariadne.exceptions import WebSocketConnectionError

    query, subscription = QueryType(), SubscriptionType()
    query.set_field("running", lambda *_: running)
    subscription.set_source("count", lambda _, info, to: count(to))
    subscription.set_source("fails", lambda *_: fails())
    subscription.set_source("prices", lambda _, info: prices(lambda: info.context["request"].close(1012)))
    for name in ["count", "fails", "prices"]:
        subscription.set_field(name, lambda number, *_, **__: number)

    def connect(_, payload):
        if not isinstance(payload, dict) or payload.get("token") != "right":
            raise WebSocketConnectionError("another token")

    logging.disable(logging.CRITICAL)
    types = "type Query { running: Int! } type Subscription { count(to: Int!): Int! fails: Int! prices: Int! }"
    handler = GraphQLTransportWSHandler(on_connect=connect)
    application = GraphQL(make_executable_schema(types, query, subscription), websocket_handler=handler)
    listener = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(application, log_level="critical", lifespan="off"))
    task = asyncio.create_task(server.serve(sockets=[listener]))
    while not server.started and not task.done():
        await asyncio.sleep(0.01)
    serving.append(task)
    return listener.getsockname()[1]


children = []
serving = []  # the loop itself keeps only weak references


async def main():
    peer = globals()[f"{sys.argv[1]}_peer"]
    port = peer()
    print(await port if asyncio.iscoroutine(port) else port, flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)


def end(*_):
    for child, server, directory in children:
        for process in (child, server):
            process.terminate()
            process.wait()
        subprocess.run(["rm", "-rf", directory])
    os._exit(0)


# Who starts it may block signals, and that is inherited.
signal.pthread_sigmask(signal.SIG_SETMASK, [])
signal.signal(signal.SIGALRM, end)
signal.alarm(60)
asyncio.run(main())
end()
