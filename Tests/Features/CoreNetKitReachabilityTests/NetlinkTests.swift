#if os(Linux)
    import TestSupport

    @testable import CoreNetKitReachability

    /// Writes the kernel's messages.
    private struct Kernel {
        var bytes: [UInt8] = []

        static func number(_ value: some FixedWidthInteger) -> [UInt8] { withUnsafeBytes(of: value) { Array($0) } }

        mutating func message(_ type: UInt16, _ content: [UInt8], padded: Bool = true) {
            bytes += Self.number(UInt32(16 + content.count)) + Self.number(type) + Self.number(UInt16(0))
            bytes += [UInt8](repeating: 0, count: 8) + content
            while padded, bytes.count % 4 != 0 { bytes.append(0) }
        }

        mutating func link(_ index: Int32, flags: UInt32, isGone: Bool = false) {
            let head: [UInt8] = [0, 0, 1, 0]
            message(isGone ? 17 : 16, head + Self.number(index) + Self.number(flags) + Self.number(UInt32.max))
        }

        static func attribute(_ type: UInt16, _ value: [UInt8]) -> [UInt8] {
            var all = number(UInt16(4 + value.count)) + number(type) + value
            while all.count % 4 != 0 { all.append(0) }
            return all
        }

        mutating func route(
            _ attributes: [[UInt8]],
            family: UInt8 = 2,
            prefix: UInt8 = 0,
            table: UInt8 = 254,
            kind: UInt8 = 1,
            flags: UInt32 = 0,
            isGone: Bool = false
        ) {
            let head: [UInt8] = [family, prefix, 0, 0, table, 3, 0, kind] + Self.number(flags)
            message(isGone ? 25 : 24, head + attributes.flatMap(\.self))
        }

        func read() -> [NetlinkMessage] { bytes.withUnsafeBytes { NetlinkMessage.all(in: $0) } }
    }

    private let (up, running, loopback): (UInt32, UInt32, UInt32) = (0x1, 0x40, 0x8)

    private func over(_ link: Int32) -> [UInt8] { Kernel.attribute(4, Kernel.number(link)) }

    private func route(
        _ links: Int32...,
        gateway: [UInt8] = [],
        priority: UInt32 = 0,
        table: UInt32 = 254
    ) -> DefaultRoute {
        DefaultRoute(family: 2, table: table, priority: priority, gateway: gateway, links: links)
    }

    @Suite("Netlink messages", .paced)
    struct NetlinkMessageTests {
        @Test("report interfaces, except the loopback")
        func links() {
            var kernel = Kernel()
            for (link, flags) in [(1, up | running | loopback), (2, up | running), (3, up), (4, 0)] as [(Int32, UInt32)]
            {
                kernel.link(link, flags: flags)
            }
            kernel.link(2, flags: up, isGone: true)
            #expect(
                kernel.read() == [
                    .link(index: 2, isUp: true, isRunning: true), .link(index: 3, isUp: true, isRunning: false),
                    .link(index: 4, isUp: false, isRunning: false), .linkGone(index: 2),
                ]
            )
        }

        @Test("report default routes, with their interfaces, and no others")
        func routes() {
            var kernel = Kernel()
            let gateway = Kernel.attribute(5, [192, 0, 2, 1])
            kernel.route([over(2), gateway, Kernel.attribute(6, Kernel.number(UInt32(100)))])
            kernel.route([over(2)], prefix: 24)
            kernel.route([over(2)], kind: 7)
            kernel.route([over(2)], table: 255)
            kernel.route([over(2)], flags: 0x200)
            kernel.route([over(3), Kernel.attribute(15, Kernel.number(UInt32(51820)))], table: 0)
            // Over two interfaces, each with an attribute of its own.
            let hops = [Int32(4), 5].flatMap { link -> [UInt8] in
                Kernel.number(UInt16(16)) + [0, 0] + Kernel.number(link) + Kernel.attribute(5, [192, 0, 2, 1])
            }
            kernel.route([Kernel.attribute(9, hops)])
            kernel.route([], isGone: true)
            #expect(
                kernel.read() == [
                    .route(route(2, gateway: [192, 0, 2, 1], priority: 100)), .route(route(3, table: 51820)),
                    .route(route(4, 5)), .routeGone(route()),
                ]
            )
        }

        @Test("report the end of a list, a refusal, and lost news; an acknowledgement is no refusal")
        func ends() {
            var kernel = Kernel()
            kernel.message(2, Kernel.number(Int32(0)) + [UInt8](repeating: 0, count: 16))
            kernel.message(2, Kernel.number(Int32(-1)) + [UInt8](repeating: 0, count: 16))
            kernel.message(2, Kernel.number(Int32.min))
            kernel.message(1, [])
            kernel.message(4, [])
            kernel.message(3, Kernel.number(Int32(0)))
            #expect(kernel.read() == [.failed(1), .failed(.max), .overrun, .done])
        }

        @Test("truncated or broken messages are read as far as possible, and never beyond the received bytes")
        func broken() {
            var kernel = Kernel()
            kernel.link(2, flags: up | running)
            kernel.route([over(2), Kernel.attribute(9, [8, 0, 0, 0, 9, 0, 0, 0])])
            kernel.message(3, [0], padded: false)
            let whole = kernel.read()
            #expect(whole.count == 3)
            for count in 0..<kernel.bytes.count {
                // Bytes of their own, so that a read behind them is seen by the sanitizer.
                let cut = Kernel(bytes: Array(kernel.bytes[..<count])).read()
                #expect(cut == Array(whole.prefix(cut.count)))
            }
            var random = SplitMix64(seed: 28)
            for _ in 0..<20_000 {
                var bytes = kernel.bytes
                for _ in 0..<Int.random(in: 1...4, using: &random) {
                    bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(in: 0 ... .max, using: &random)
                }
                #expect(Kernel(bytes: bytes).read().count <= bytes.count / 16)
            }
        }
    }

    @Suite("A routing table", .paced)
    struct RouteTableTests {
        private func table(_ messages: NetlinkMessage...) -> RoutingTable {
            messages.reduce(into: RoutingTable()) { $0.apply($1) }
        }

        private let link = NetlinkMessage.link(index: 2, isUp: true, isRunning: true)
        private let lost = NetlinkMessage.link(index: 2, isUp: true, isRunning: false)
        private let off = NetlinkMessage.link(index: 2, isUp: false, isRunning: false)

        @Test("has a connection if a default route leads over a working interface")
        func reachable() {
            #expect(!table().isReachable && !table(link).isReachable && !table(.route(route(2))).isReachable)
            #expect(table(link, .route(route(2))).isReachable && table(.route(route(2)), link).isReachable)
            #expect(!table(link, .route(route(3))).isReachable && table(link, .route(route(3, 2))).isReachable)
            #expect(table(link, .route(route())).isReachable && !table(lost, .route(route())).isReachable)
        }

        @Test("a cable that is pulled and plugged in again changes the state; one route of two is enough")
        func changes() {
            let start = table(link, .route(route(2)), .route(route(2, priority: 5)))
            for (messages, isReachable): ([NetlinkMessage], Bool) in [
                ([lost], false), ([lost, link], true), ([.routeGone(route(2))], true),
                ([.routeGone(route(2)), .routeGone(route(2, priority: 5))], false), ([.linkGone(index: 2)], false),
            ] {
                var table = start
                for message in messages { table.apply(message) }
                #expect(table.isReachable == isReachable, "\(messages)")
            }
        }

        @Test("an interface that was switched off has no routes any more, although the kernel does not say so")
        func forgets() {
            #expect(!table(link, .route(route(2)), off, link).isReachable)
            #expect(table(link, .route(route(2)), off, link, .route(route(2))).isReachable)
            #expect(table(link, .link(index: 3, isUp: true, isRunning: true), .route(route(2, 3)), off).isReachable)
        }
    }

    @Suite("The kernel's socket", .timeLimit(.minutes(10)), .paced)
    struct NetlinkSocketTests {
        @Test("lists interfaces and routes, and is followed until the watch is released")
        func real() async throws {
            var reachability: Reachability? = Reachability()
            #expect(reachability?.problem == nil)
            let first = await reachability?.updates.first { _ in true }
            #expect(first == reachability?.isReachable)
            weak let held = reachability
            reachability = nil
            while held != nil, !Task.isCancelled { await Task.yield() }
            #expect(held == nil)
        }
    }
#endif
