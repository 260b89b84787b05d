"""GraphQL over WebSocket (graphql-transport-ws), by the packages `strawberry-graphql` and `ariadne`; `.ci/socket-peer.py` starts them.

`connection_init` has to have a `token` "right": `strawberry` refuses others with 4403, `ariadne` with 1000.
`count(to)` ends by itself, and `fails` fails after its first number. `prices` breaks its connection behind its first number when it
runs for the first time, and goes on from there without an end the next time. `running` says how many of them run.
"""
import asyncio
import logging
import socket

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
    application = web.Application()
    application.router.add_route("GET", "/", View(schema))
    runner = web.AppRunner(application, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    return runner.addresses[0][1]


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
    tasks.append(task)
    return listener.getsockname()[1]


tasks = []  # whoever is not kept may be collected
