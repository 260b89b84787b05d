import TestPrograms
import TestSupport

/// A server of the package `websockets`, which others have written: it sends back what comes.
///
/// `WEBSOCKETS_PATH` names the directory where the package is, if Python does not find it by itself.
final class PythonPeer: Sendable {
    private static let path = ProcessInfo.processInfo.environment["WEBSOCKETS_PATH"] ?? ""

    static let isInstalled: Bool = {
        let script = "import sys; sys.path.insert(0, sys.argv[1]); import websockets"
        do {
            try Command.run("/usr/bin/env", ["python3", "-c", script, path])
            return true
        } catch {
            return false
        }
    }()

    private static let script = """
        import sys; sys.path.insert(0, sys.argv[1])
        import asyncio, signal, websockets
        # Who starts it blocks signals, and that is inherited.
        signal.pthread_sigmask(signal.SIG_SETMASK, [])
        signal.alarm(60)
        async def echo(socket):
            async for message in socket:
                if message == "bye": return await socket.close(4001, "as asked")
                if message == "ping": await (await socket.ping(b"x"))
                await socket.send(message)
        async def main():
            options = dict(compression="deflate", max_size=1 << 24, subprotocols=["echo"])
            async with websockets.serve(echo, "127.0.0.1", 0, **options) as server:
                print(server.sockets[0].getsockname()[1], flush=True)
                await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
        asyncio.run(main())
        """

    private let process: PeerProcess
    var url: String { process.url }

    init() throws { process = try PeerProcess("/usr/bin/env", ["python3", "-c", Self.script, Self.path]) }
}

/// A program that says its port when it serves, and ends with its standard input.
final class PeerProcess: Sendable {
    let url: String
    private let end: @Sendable () -> Void

    init(_ program: String, _ arguments: [String]) throws {
        let process = Process()
        let (input, output) = (Pipe(), Pipe())
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        (process.standardInput, process.standardOutput) = (input, output)
        try process.run()
        let port = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        url = "ws://127.0.0.1:\(port.filter(\.isNumber))/"
        let writing = input.fileHandleForWriting
        end = { try? writing.close() }
    }

    deinit { end() }
}
