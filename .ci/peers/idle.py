"""A server for idle connections: says nothing until a hundred requests to one of its addresses wait, then responds to all.

Prints its port, and ends by itself.
"""
import asyncio
import signal
import socket

signal.alarm(300)
waiting: dict[str, list[asyncio.StreamWriter]] = {}


async def serve(reader, writer):
    address = writer.get_extra_info("sockname")[0]
    try:
        while True:
            await reader.readuntil(b"\r\n\r\n")
            queue = waiting.setdefault(address, [])
            queue.append(writer)
            if len(queue) == 100:
                for one in queue:
                    one.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Type: text/plain\r\n\r\nok")
                queue.clear()
    except (asyncio.IncompleteReadError, ConnectionError):
        pass
    finally:
        writer.close()


def listeners():
    """One socket for each address, all with the same port."""
    while True:
        port, sockets = 0, []
        try:
            for host in range(1, 101):
                one = socket.socket()
                sockets.append(one)
                one.bind((f"127.0.1.{host}", port))
                port = one.getsockname()[1]
            return port, sockets
        except OSError:  # the port is somebody's on one of them
            for one in sockets:
                one.close()


async def main():
    port, sockets = listeners()
    for one in sockets:
        await asyncio.start_server(serve, sock=one, backlog=1024)
    print(port, flush=True)
    await asyncio.Event().wait()


asyncio.run(main())
