#if os(Linux)
    import CoreNetKitSystem
    import TestPace

    @testable import CoreNetKitWire

    /// `.ci/proofs http2-fuzz` sends ten million frames.
    @Suite("A session of HTTP/2 and bytes that nobody checked", .timeLimit(.minutes(60)), .paced)
    struct HTTP2FuzzTests {
        private static let rounds = TestRounds.count(200)
        private static let seed = TestRounds.seed(1)
        private static let framesOfOne = 100

        /// A frame of any kind with any flags, mostly for a stream that is open, at times with a length that lies.
        private static func frame(_ random: inout SplitMix64) -> [UInt8] {
            let kind = UInt8(random.next() % 11)
            let stream = [0, 1, 1, 3, 5, 2, 7, 1 << 30].randomElement(using: &random) ?? 1
            var payload = (0..<random.next() % 40).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            // A head that can be read: `:status: 200`, and a literal field.
            if kind == 1, random.next() % 2 == 0 { payload = [0x88, 0, 1, 0x61, 1, 0x62] }
            let length = random.next() % 50 == 0 ? payload.count + Int(random.next() % 9) : payload.count
            let flags = random.next() % 3 == 0 ? UInt8(truncatingIfNeeded: random.next()) : UInt8(random.next() % 6)
            let head = [0, 0, UInt8(length), kind, flags] + (0..<4).map { UInt8(stream >> (24 - 8 * $0) & 0xFF) }
            return head + payload
        }

        @Test("end it or are read, and never more streams end than were begun")
        func frames() throws {
            var random = SplitMix64(seed: Self.seed)
            let head = Array("GET / HTTP/1.1\r\nHost: a.test\r\n\r\n".utf8)
            for _ in 0..<Self.rounds {
                let session = try #require(HTTP2Session())
                var (begun, closed) = (0, 0)
                var output = [UInt8](repeating: 0, count: 4096)
                for index in 0..<Self.framesOfOne {
                    if index % 20 == 0 {
                        let stream = try? head.withUnsafeBytes {
                            try session.begin($0, HTTP2RequestForm(isSecure: true), hasContent: index % 40 == 0)
                        }
                        if let stream {
                            begun += 1
                            if random.next() % 4 == 0 { session.reset(stream) }
                        }
                    }
                    let bytes = Self.frame(&random)
                    let isOver = bytes.withUnsafeBytes { (try? session.receive($0)) == nil }
                    while let event = session.next() {
                        if case .closed = event { closed += 1 }
                        if case .content(_, let range) = event { #expect(bytes.indices.contains(range.lowerBound)) }
                    }
                    while let count = try? output.withUnsafeMutableBytes({ try session.send(into: $0) }), count > 0 {}
                    while let event = session.next() { if case .closed = event { closed += 1 } }
                    guard !isOver, !session.isOver else { break }
                }
                #expect(closed <= begun && session.openStreams == begun - closed)
            }
        }
    }
#endif
