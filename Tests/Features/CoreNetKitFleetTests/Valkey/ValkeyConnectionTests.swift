import TestSupport

@testable import CoreNetKitFleet

@Suite("A store on a server", .timeLimit(.minutes(10)), .paced)
struct ValkeyConnectionTests {
    private let clock = ManualClock()
    private let server = PlayedServer()
    private let store: ValkeyStore
    private let key = SharedKey(kind: "test", "one")
    private static let value = "*2\r\n$1\r\nx\r\n$1\r\n7\r\n"
    private static let works: PlayedServer.Play = { $0.first == "HMGET" ? value : nil }

    init() { store = server.store(clock: clock) }

    /// A read that times out when the server has heard so many commands.
    private func timeOut(after count: Int) async -> SharedStoreError? {
        let call = Task { await read() }
        await server.heard.wait(count)
        clock.advance(by: .milliseconds(20))
        let error = await call.value
        #expect(error?.code == .timedOut)
        return error
    }

    private func read(from other: ValkeyStore? = nil) async -> SharedStoreError? {
        await failure(SharedStoreError.self) { _ = try await (other ?? store).read(key) }
    }

    /// That a server that works now is read over a second connection.
    private func expectReconnection() async throws {
        server.play(Self.works)
        #expect(try await store.read(key)?.version == 7)
        #expect(server.connections == 2)
    }

    /// That a store explains why a call failed, without secrets.
    private func expect(_ code: SharedStoreError.Code, _ word: String, _ error: SharedStoreError?) {
        #expect(error?.code == code)
        #expect(error?.message.contains(word) == true, "\(error?.message ?? "")")
        #expect(!"\(String(describing: error))".contains("pass-word"))
    }

    @Test("greets with user, password and a name, and then reads")
    func greets() async throws {
        server.play(Self.works)
        let store = server.store(credentials: .init(user: "u", password: "p"), clock: clock)
        #expect(try await store.read(key) == SharedValue(bytes: Data("x".utf8), version: 7))
        let hello = ["HELLO", "3", "AUTH", "u", "p", "SETNAME", "test"]
        #expect(server.commands == [hello, ["HMGET", key.text + "v", "b", "n"]])
        #expect(try await store.read(key) != nil)
        #expect(server.connections == 1)
    }

    @Test("sends a name without characters that servers refuse")
    func name() {
        let hello = RESPCommand.hello(nil, name: "my app\r\nFLUSHALL ü")
        #expect(hello.bytes == RESPCommand(["HELLO", "3", "SETNAME", "myappFLUSHALL"]).bytes)
        #expect(RESPCommand.hello(nil, name: "ü").bytes == RESPCommand(["HELLO", "3"]).bytes)
    }

    static let handshakes: [(String, SharedStoreError.Code, String)] = [
        ("-NOAUTH HELLO must be called with the client already authenticated\r\n", .refused, "credentials"),
        ("-WRONGPASS invalid username-password pair\r\n", .refused, "password"),
        ("-NOPROTO unsupported protocol version\r\n", .unsupported, "RESP3"),
        ("-ERR unknown command `HELLO`, with args beginning with: `3`, `u`, `pass-word`\r\n", .unsupported, "RESP3"),
        ("-ERR something, with args beginning with: `pass-word`\r\n", .refused, "something"),
        (PlayedServer.handshake(mode: "cluster"), .unsupported, "cluster"),
        (PlayedServer.handshake(proto: 2), .unsupported, "RESP3"),
        (PlayedServer.handshake(role: "replica"), .unreachable, "replica"),
        ("*2\r\n+proto\r\n:2\r\n", .unreachable, "HELLO"),
        ("HTTP/1.1 400 Bad Request\r\n", .unreachable, "port"),
        ("-LOADING Redis is loading the dataset in memory\r\n", .unreachable, "loading"),
    ]

    @Test("says clearly why a server cannot be used, without the password", arguments: handshakes)
    func refused(handshake: String, code: SharedStoreError.Code, word: String) async {
        server.play { $0.first == "HELLO" ? handshake : nil }
        let store = server.store(credentials: .init(user: "u", password: "pass-word"), clock: clock)
        let error = await read(from: store)
        expect(code, word, error)
        #expect(error?.mayBeDone == false)
        #expect(server.commands.count == 1)
    }

    @Test("is not greeted with each call after a refusal: once a second at most")
    func greetedAgain() async {
        server.play { $0.first == "HELLO" ? "-WRONGPASS no\r\n" : nil }
        for _ in 0..<100 { #expect(await read()?.code == .refused) }
        #expect(server.connections == 1)
        #expect(!store.isUnavailable)
        server.play(Self.works)
        clock.advance(by: .seconds(1))
        #expect(await read() == nil)
    }

    @Test("is not away for all keys because of one value that another program has written")
    func foreign() async {
        server.play { $0.first == "HMGET" ? "-WRONGTYPE Operation against a key\r\n" : nil }
        for _ in 0..<10 { #expect(await read()?.code == .corrupt) }
        #expect(!store.isUnavailable)
        #expect(server.connections == 1)
    }

    static let saidNo: [(String, SharedStoreError.Code, String)] = [
        ("-MOVED 3999 127.0.0.1:6381\r\n", .unsupported, "cluster"),
        ("-ASK 3999 127.0.0.1:6381\r\n", .unsupported, "cluster"),
        ("-CROSSSLOT Keys in request don't hash to the same slot\r\n", .unsupported, "cluster"),
        ("-NOPERM this user has no permissions\r\n", .refused, "ACL"),
        ("-OOM command not allowed when used memory > 'maxmemory'.\r\n", .refused, "memory"),
        ("-BUSY Redis is busy running a script.\r\n", .unreachable, "busy"),
        ("-WRONGTYPE Operation against a key\r\n", .corrupt, "key"),
        ("-ERR unknown command 'HMGET', with args beginning with: 'pass-word'\r\n", .refused, "unknown command"),
        (":1\r\n", .corrupt, "reply"), ("*1\r\n_\r\n", .corrupt, "reply"),
        ("*2\r\n$1\r\nx\r\n_\r\n", .corrupt, "reply"),
        ("*2\r\n$1\r\nx\r\n$2\r\n-1\r\n", .corrupt, "reply"), ("$1\r\nabc\r\n", .unreachable, "a bulk of a reply"),
    ]

    @Test("explains a refusal or a wrong reply", arguments: saidNo)
    func refusals(reply: String, code: SharedStoreError.Code, word: String) async {
        server.play { $0.first == "HMGET" ? reply : nil }
        expect(code, word, await read())
    }

    @Test("pipelines many calls, and gives each its reply")
    func pipelines() async throws {
        server.play { command in
            guard command.first == "HMGET" else { return nil }
            let name = command[1]
            return "*2\r\n$\(name.utf8.count)\r\n\(name)\r\n$1\r\n1\r\n"
        }
        let keys = (0..<200).map { SharedKey(kind: "test", "\($0)") }
        try await concurrently(keys.count) { number in
            let found = try await store.read(keys[number])
            #expect(found?.bytes == Data((keys[number].text + "v").utf8))
        }
        #expect(server.connections == 1)
        #expect(server.sends <= 201)
    }

    @Test("gives up a call after its timeout; the late reply is dropped, and the next call gets its own")
    func late() async throws {
        #expect(await timeOut(after: 2)?.mayBeDone == true)
        server.play { $0.first == "HMGET" ? "*2\r\n$1\r\ny\r\n$1\r\n8\r\n" : nil }
        server.say(Self.value)
        #expect(try await store.read(key)?.version == 8)
        #expect(server.connections == 1)
    }

    @Test("considers a connection that was silent for a second lost, and opens another")
    func silent() async throws {
        _ = await timeOut(after: 2)
        clock.advance(by: .milliseconds(980))
        await server.closed.wait()
        try await expectReconnection()
    }

    @Test("does not wait for a connection longer than the timeout, and sends no call that was given up")
    func slowConnection() async throws {
        server.play { $0.first == "HELLO" ? "" : Self.value }
        #expect(await timeOut(after: 1)?.mayBeDone == false)
        server.say(PlayedServer.handshake())
        #expect(try await store.read(key)?.version == 7)
        #expect(server.commands.map(\.first) == ["HELLO", "HMGET"])
    }

    @Test("reports that calls sent over a broken connection may have been done, and connects again")
    func lost() async throws {
        let call = Task {
            await failure(SharedStoreError.self) {
                _ = try await store.write(key, Data("x".utf8), ifVersion: nil, for: .seconds(1))
            }
        }
        await server.heard.wait(2)
        server.end()
        let lost = await call.value
        #expect(lost?.code == .unreachable)
        #expect(lost?.mayBeDone == true)
        try await expectReconnection()
    }

    @Test("leaves a primary that has become a replica, and connects to the next one")
    func failover() async throws {
        server.play { $0.first == "EVALSHA" ? "-READONLY You can't write against a read only replica.\r\n" : nil }
        let first = await failure(SharedStoreError.self) {
            _ = try await store.write(key, Data(), ifVersion: nil, for: .seconds(1))
        }
        #expect(first?.code == .unreachable)
        server.play { $0.first == "EVALSHA" ? "$1\r\n9\r\n" : nil }
        #expect(try await store.write(key, Data(), ifVersion: nil, for: .seconds(1)) == 9)
        #expect(server.connections == 2)
    }

    @Test("sends a script in full to a server that does not know it")
    func scripts() async throws {
        server.play { command in
            switch command.first {
            case "EVALSHA": "-NOSCRIPT No matching script.\r\n"
            case "EVAL": "$1\r\n9\r\n"
            default: nil
            }
        }
        #expect(try await store.write(key, Data("x".utf8), ifVersion: 3, for: .seconds(1)) == 9)
        let commands = server.commands.dropFirst()
        #expect(commands.map(\.first) == ["EVALSHA", "EVAL"])
        let rest = ["2", key.text + "v", key.text + "r", "x", "3", "1000"]
        #expect(commands.allSatisfy { Array($0.dropFirst(2)) == rest })
        #expect(commands.last?[1] == ValkeyScript.write.text)
        #expect(commands.first?[1] == ValkeyScript.write.digest)
    }

    @Test("closes a connection with unexpected replies")
    func unasked() async throws {
        server.play { $0.first == "HMGET" ? Self.value + Self.value : nil }
        #expect(try await store.read(key)?.version == 7)
        await server.closed.wait()
        try await expectReconnection()
    }

    @Test("is left alone after three failures: no connection is tried while it rests")
    func rests() async {
        server.play(Self.works)
        server.refuse(SharedStoreError(.unreachable, "gone"))
        for _ in 0..<3 { #expect(await read()?.code == .unreachable) }
        for _ in 0..<100 { #expect(await read()?.code == .unavailable) }
        #expect(store.isUnavailable)
        #expect(server.tried.count == 3)
        server.refuse(nil)
        clock.advance(by: .milliseconds(200))
        #expect(await read() == nil)
        #expect(!store.isUnavailable)
    }

    @Test("is probed beside the calls: by a late reply, and over a new connection")
    func back() async throws {
        for count in 2...4 { _ = await timeOut(after: count) }
        #expect(store.isUnavailable)
        // One late reply: the server is asked, does not reply in time, and stays away.
        server.say(Self.value)
        await server.heard.wait(5)
        #expect(server.commands.last == ["PING"])
        clock.advance(by: .milliseconds(20))
        #expect(store.isUnavailable)
        server.play { $0.first == "PING" ? "+PONG\r\n" : nil }
        // Two more, the pong that is late itself, and the connection is there as it was.
        for _ in 0..<100_000 where store.isUnavailable {
            server.say(Self.value)
            await Task.yield()
        }
        #expect(!store.isUnavailable)
    }

    @Test("ends a cancelled call at once, and reports what may have been done")
    func cancelled() async throws {
        let call = Task { await read() }
        await server.heard.wait(2)
        call.cancel()
        let cancelled = await call.value
        #expect(cancelled?.code == .cancelled)
        #expect(cancelled?.mayBeDone == true)
    }

    @Test("releases its connection when it is released, and opens no other")
    func dropped() async throws {
        let server = PlayedServer(Self.works)
        var store: ValkeyStore? = server.store(clock: clock)
        #expect(try await store?.read(key)?.version == 7)
        store = nil
        await server.closed.wait()
        clock.advance(by: .seconds(60))
        #expect(server.connections == 1)
    }

    @Test("shows neither its password nor more than a line")
    func printed() {
        let credentials = ValkeyStore.Credentials(user: "u", password: "pass-word")
        var text = ""
        dump(credentials, to: &text)
        #expect(!"\(credentials)\(String(reflecting: credentials))\(text)".contains("pass-word"))
    }

    private static let table: [(Duration, Duration)] = [
        (.zero, .milliseconds(1)), (.seconds(-1), .milliseconds(1)), (.milliseconds(1), .milliseconds(1)),
        (.milliseconds(7), .milliseconds(7)),
    ]

    @Test("ends a call after the timeout that was set, which is a millisecond at least", arguments: table)
    func timeout(set: Duration, used: Duration) async throws {
        let store = server.store(timeout: set, clock: clock)
        let call = Task { await read(from: store) }
        await server.heard.wait(2)
        clock.advance(by: .milliseconds(10))
        let error = await call.value
        #expect(error?.code == .timedOut)
        #expect(error?.message == "the store took longer than \(used)")
    }

    @Test("tries one more connection after several calls that failed, not one for each of them")
    func oneTimer() async throws {
        server.refuse(SharedStoreError(.unreachable, "gone"))
        let hello = RESPCommand.hello(nil, name: "")
        let connection = ValkeyConnection(server.connector, hello, timeout: .seconds(10), clock: CallClock(clock))
        /// When the next connection is tried; later sleepers are those of calls.
        func next() -> ManualClock.Instant? { clock.sleepers.first { $0.offset < .seconds(5) } }
        await #expect(throws: SharedStoreError.self) { try await connection.call(RESPCommand(["PING"])) }
        await until { next() != nil }
        let first = try #require(next())
        for _ in 0..<2 {
            await #expect(throws: SharedStoreError.self) { try await connection.call(RESPCommand(["PING"])) }
        }
        #expect(server.tried.count == 3)
        clock.advance(to: first)
        await server.tried.wait(4)
        await until { next() != nil }
        let second = try #require(next())
        // After four failures the wait is 400 to 800 ms; those of the first three would have been 350 ms at most.
        #expect(first.duration(to: second) >= .milliseconds(400))
    }
}
