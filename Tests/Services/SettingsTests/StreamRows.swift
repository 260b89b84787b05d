import CoreNetKitSockets
import CoreNetKitStreams
import TestSupport

let streamRows: [SettingRow] = eventRows + transferRows + socketRows

private func builder(_ reply: MockResponse) -> UrlChainsBuilder<URL> {
    UrlChainsBuilder(client: client(reply)).route(.get, page)
}

private let eventRows = [
    SettingRow([
        "EventLimits.event", "EventLimits.init(line:event:)", "EventLimits.line", "EventOptions.idle",
        "EventReconnection.cap", "EventReconnection.emptyLimit", "EventReconnection.floor", "EventReconnection.initial",
        "EventReconnection.reset",
    ]) { extreme in
        var options = EventOptions()
        options.limits = EventLimits(line: extreme.int(1000), event: extreme.int(1000))
        options.limits.line = extreme.int(1000)
        options.limits.event = extreme.int(1000)
        options.idle = extreme.duration(.seconds(60))
        var again = EventReconnection.standard
        again.initial = extreme.duration(.milliseconds(1))
        again.floor = extreme.duration(.milliseconds(1))
        again.cap = extreme.duration(.milliseconds(2))
        again.reset = extreme.duration(.seconds(1))
        again.emptyLimit = extreme.int(2)
        let reply = MockResponse.text("data: 1\n\ndata: 2\n\n").header("Content-Type", "text/event-stream")
        let events = try await builder(reply).events(options).reconnect(again).process()
        var count = 0
        for try await _ in events {
            count += 1
            if count == 6 { break }
        }
    },
    SettingRow("ElementOptions.idle", "ElementOptions.init(limit:idle:)", "ElementOptions.limit") { extreme in
        var options = ElementOptions(limit: extreme.int(1000), idle: extreme.duration(.seconds(60)))
        for _ in 0..<2 {
            let lines: Chain<Void, ElementStream<Json>> = builder(.text("1\n2\n")).lines(options, reading: .json)
            for try await _ in try await lines.process() as ElementStream<Json> {}
            (options.limit, options.idle) = (extreme.int(1000), extreme.duration(.seconds(60)))
        }
    },
    SettingRow([
        "PageOptions.limit", "PageStrategy.offset(size:names:)",
        "PageStrategy.offset(size:names:items:total:isShortPageLast:)", "PageStrategy.page(size:names:first:)",
        "PageStrategy.page(size:names:first:items:total:isShortPageLast:)",
    ]) { extreme in
        var options = PageOptions()
        options.limit = extreme.int(3)
        let strategies: [PageStrategy<[Int]>] = [
            .offset(size: extreme.int(2)), .page(size: extreme.int(2), first: extreme.int(1)),
            .offset(size: extreme.int(2), items: { $0.count }),
            .page(size: extreme.int(2), first: extreme.int(1), items: { $0.count }),
        ]
        for strategy in strategies {
            var count = 0
            do {
                for try await _ in builder(.json("[1,2]")).pages(strategy, options, reading: .json) as Pages<[Int]> {
                    count += 1
                    if count == 4 { break }
                }
            } catch {}
        }
    },
]

private let transferRows = [
    SettingRow("RequestHolder.set(urgency:incremental:)") { extreme in
        let chain: Chain<Void, Void> = builder(.status(200)).set(urgency: extreme.int(3)).build()
        try await chain.call()
    },
    SettingRow("UploadMethod.draft(isCareful:chunk:interop:)", "UploadMethod.tus(metadata:chunk:checksum:)") {
        extreme in
        let reply = MockResponse.status(201, headers: ["Location": "http://settings.test/up", "Upload-Offset": "9"])
        for method in [.draft(chunk: extreme.int(4)), .tus(chunk: extreme.int(4))] as [UploadMethod] {
            let upload = builder(reply).upload(.bytes(Data(count: 9)), using: method)
            _ = try? await upload.process() as Upload
        }
    },
    SettingRow("UrlChainsBuilder.download(to:segments:verify:progress:)") { extreme in
        let folder = try TemporaryFolder()
        let reply = MockResponse.data(Data(count: 9)).header("ETag", "\"a\"").header("Accept-Ranges", "bytes")
        let file = folder["file"]
        _ = try await builder(reply).download(to: file, segments: extreme.int(2)).process() as Download
    },
]

private let socketRows = [
    SettingRow([
        "SocketCompression.deflate(windowBits:keepsContext:above:)", "SocketCompression.threshold",
        "SocketCompression.windowBits", "SocketKeepAlive.every(_:within:)", "SocketKeepAlive.interval",
        "SocketKeepAlive.timeout", "SocketOptions.closeTimeout", "SocketOptions.inbox", "SocketOptions.messageLimit",
        "SocketOptions.outbox", "SocketReconnection.cap", "SocketReconnection.floor", "SocketReconnection.initial",
        "SocketReconnection.limit", "SocketReconnection.reset",
    ]) { extreme in
        var options = SocketOptions()
        var compression = SocketCompression.deflate(windowBits: extreme.int(12), above: extreme.int(512))
        compression.threshold = extreme.int(512)
        compression.windowBits = extreme.int(12)
        options.compression = compression
        var keepAlive = SocketKeepAlive.every(extreme.duration(.seconds(20)), within: extreme.duration(.seconds(20)))
        keepAlive.interval = extreme.duration(.seconds(20))
        keepAlive.timeout = extreme.duration(.seconds(20))
        options.keepAlive = keepAlive
        options.closeTimeout = extreme.duration(.milliseconds(100))
        options.inbox = extreme.int(16)
        options.messageLimit = extreme.int(1 << 20)
        options.outbox = extreme.int(16)
        options.reconnection = .standard
        options.reconnection.initial = extreme.duration(.milliseconds(1))
        options.reconnection.floor = extreme.duration(.milliseconds(1))
        options.reconnection.cap = extreme.duration(.milliseconds(2))
        options.reconnection.reset = extreme.duration(.seconds(1))
        options.reconnection.limit = extreme.int(2)
        let echo = MockResponse.socket { peer in
            while case .text(let text) = try await peer.message() { peer.send(text: text) }
        }
        let socket = try await builder(echo).rawSocket(options).process() as Socket<SocketMessage, SocketMessage>
        do {
            try await socket.send(.text("hello"))
            for try await _ in socket { break }
        } catch {}
        await socket.close()
    },
    SettingRow([
        "Chain.greeting(within:_:)", "SocketCalls.call(_:_:deadline:)",
        "SocketCalls.stream(_:_:leaving:resumes:ahead:until:)",
    ]) { extreme in
        let echo = MockResponse.socket { peer in
            while case .text(let text) = try await peer.message() { peer.send(text: text) }
        }
        let open = builder(echo).rawSocket().greeting(within: extreme.duration(.seconds(1))) { greeting in
            try await greeting.send(.text("hello"))
            try await greeting.reply()
        }
        let socket = try await open.process() as Socket<SocketMessage, SocketMessage>
        let calls = SocketCalls(socket) { message in message == .text("stream") ? 1 : 2 }
        _ = try? await calls.call(2, .text("call"), deadline: extreme.duration(.seconds(1)))
        for try await _ in calls.stream(1, .text("stream"), ahead: extreme.int(4), until: { _ in true }) {}
        await calls.close()
    },
]
