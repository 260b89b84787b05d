#if os(Linux)
    import CoreNetKitCurl
    import TestSupport

    extension SettingRow {
        static let connections: [SettingRow] = [
            SettingRow(name: "connectionsPerHost") { http in
                try await crowd(http, ["a.test", "a.test", "a.test"]) { $0.connectionsPerHost = 2 }
            },
            SettingRow(name: "totalConnections") { http in
                try await crowd(http, ["a.test", "b.test", "c.test"]) { $0.totalConnections = 2 }
            },
            SettingRow(name: "waitingLimit") { http in
                let gate = LoopbackGate()
                let server = try LoopbackServer { _ in .text("x").fault(.stall(.beforeStatus, until: gate)) }
                let transport = http.transport { ($0.connectionsPerHost, $0.waitingLimit) = (1, 1) }
                let request = TransportRequest(url: server.url("/"), timeouts: .unlimited)
                let calls = (0..<2).map { _ in Task { try await transport.send(request) } }
                while await transport.statistics().waiting < 1 { await Task.yield() }
                #expect(await transport.failure(server.url("/")) == .queueFull)
                gate.open()
                for call in calls { _ = try await call.value }
            },
            SettingRow(name: "idleConnectionLifetime") { http in
                let server = try LoopbackServer { _ in .text("x") }
                let slow = try LoopbackServer { _ in .text("x").delayed(by: .milliseconds(2100)) }
                let transport = http.transport { $0.idleConnectionLifetime = .seconds(1) }
                for place in [server.url("/"), slow.url("/"), server.url("/")] { _ = try await transport.text(place) }
                #expect(server.counts.connections == 2)
            },
            SettingRow(name: "connectionLifetime") { http in
                let server = try LoopbackServer { request in
                    request.path == "/slow" ? .text("x").delayed(by: .milliseconds(2100)) : .text("x")
                }
                let transport = http.transport { $0.connectionLifetime = .seconds(1) }
                for path in ["/", "/slow", "/"] { _ = try await transport.text(server.url(path)) }
                #expect(server.counts.connections == 2)
            },
            SettingRow(name: "keepAlive.idle") { try await probes($0, option: TCP_KEEPIDLE, value: 77) },
            SettingRow(name: "keepAlive.interval") { try await probes($0, option: TCP_KEEPINTVL, value: 33) },
            SettingRow(name: "http2PingInterval") { http in
                let pings = Locked(0)
                let peer = try RawPeer { _, connection in
                    guard let peer = HTTP2Peer(connection), let stream = peer.request() else { return }
                    peer.head(204, on: stream, ends: true)
                    while let head = peer.frame() { if head.kind == HTTP2Peer.Kind.ping { pings.withLock { $0 += 1 } } }
                }
                let transport = http.transport {
                    ($0.http2PingInterval, $0.httpVersion) = (.milliseconds(100), .http2PriorKnowledge)
                }
                #expect(try await transport.send(TransportRequest(url: peer.url)).status == 204)
                while pings.withLock({ $0 }) == 0 { await Task.yield() }
            },
            SettingRow(name: "loops") { http in
                for loops in [1, 2] {
                    let server = try LoopbackServer { _ in .text("x") }
                    let transport = http.transport { $0.loops = loops }
                    for _ in 0..<4 { _ = try await transport.text(server.url("/")) }
                    #expect(server.counts.connections == loops)
                }
            },
        ]

        /// Three calls, of which two run and one waits.
        private static func crowd(
            _ http: HTTPChoice,
            _ hosts: [String],
            _ change: (inout CurlTransport.Configuration) -> Void
        ) async throws {
            let gate = LoopbackGate()
            let server = try LoopbackServer { _ in .text("x").fault(.stall(.beforeStatus, until: gate)) }
            let transport = http.transport {
                $0.addresses = Dictionary(
                    hosts.map { ("\($0):\(server.port)", ["127.0.0.1"]) },
                    uniquingKeysWith: { first, _ in first }
                )
                change(&$0)
            }
            let calls = hosts.map { host in
                let place = url("http://\(host):\(server.port)/")
                return transport.call(place, .unlimited)
            }
            var statistics = await transport.statistics()
            while statistics.running + statistics.waiting < hosts.count {
                await Task.yield()
                statistics = await transport.statistics()
            }
            #expect(statistics.running == 2 && statistics.waiting == 1)
            gate.open()
            for call in calls { _ = try await call.value }
        }

        private static func probes(_ http: HTTPChoice, option: Int32, value: Int32) async throws {
            for isOn in [false, true] {
                let server = try LoopbackServer { _ in .text("x") }
                var probes = CurlTransport.Configuration.KeepAlive()
                (probes.idle, probes.interval) = (.seconds(77), .seconds(33))
                let wanted = isOn ? probes : nil
                let transport = http.transport { $0.keepAlive = wanted }
                _ = try await transport.text(server.url("/"))
                let socket = try #require(try OwnSockets.connected(to: server.port).first)
                #expect((OwnSockets.option(socket, SOL_SOCKET, SO_KEEPALIVE) != 0) == isOn)
                #expect((OwnSockets.option(socket, Int32(IPPROTO_TCP), option) == value) == isOn)
                await transport.shutdown()
            }
        }
    }
#endif
