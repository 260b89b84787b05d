#if os(Linux)
    @testable import CoreNetKitCurl
    @testable import CoreNetKitHTTP
    import TestSupport
    import CoreNetKitWire

    /// Random and mutated responses: `.ci/proofs fuzz-transport` sets how many, and the seed.
    @Suite("Curl: responses that no real server would send", .timeLimit(.minutes(240)), .paced)
    struct HeadFuzzTests {
        private static let count = TestRounds.count(600)
        private static let seed = TestRounds.seed(20_261_121)

        /// Responses that once crashed the process, hung, or were read wrongly.
        static let corpus = [
            "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 999999999999999999\r\n\r\nabc",
            "HTTP/1.1 200 OK\r\nContent-Length: 9223372036854775807\r\nContent-Encoding: br\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Encoding: zstd\r\nTransfer-Encoding: chunked\r\n\r\n7fffffffffffffff\r\nabc",
        ]

        @Test("a head that begins with a folded line, after another response on the same connection")
        func foldedFirst() async throws {
            let long = String(repeating: "v", count: 900)
            let server = try LoopbackServer(recording: .off) { request in
                request.index % 2 == 0
                    ? .raw("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nX-Last: \(long)\r\n\r\n", closes: false)
                    : .raw("HTTP/1.1 200 OK\r\n folded: \(long)\r\nContent-Length: 0\r\n\r\n")
            }
            let transport = CurlTransport()
            for _ in 0..<200 { _ = try? await transport.send(TransportRequest(url: server.url("/"))) }
            #expect(server.counts.requests == 200)
        }

        @Test("earlier failures do not come back", arguments: corpus)
        func known(response: String) async throws {
            #expect(try await outcome([Data(response.utf8)], workers: 1).hung == 0)
        }

        @Test("each ends the exchange, with a response or a typed error, in time")
        func wire() async throws {
            var random = SplitMix64(seed: Self.seed)
            var (left, batch, memory) = (Self.count, 0, FuzzMemory())
            while left > 0 {
                let size = min(left, 2000)
                left -= size
                batch += 1
                if batch == Self.count / 20_000 { memory.isEarly() }
                let responses = (0..<size).map { _ in ResponseFuzzer.response(&random) }
                let (ended, hung) = try await outcome(responses, workers: 16)
                #expect(ended == size)
                #expect(hung == 0, "seed \(Self.seed)")
            }
            memory.isLate("\(Self.count) responses over sockets")
        }

        private func outcome(_ responses: [Data], workers: Int) async throws -> (ended: Int, hung: Int) {
            let server = try LoopbackServer(recording: .off) { request in
                .raw(responses[Int(request.path.dropFirst()) ?? 0], closes: true)
            }
            let transport = CurlTransport()
            let limits = Timeouts(phases: .seconds(30), total: .seconds(40))
            return try await concurrently(workers) { worker in
                var (ended, hung) = (0, 0)
                for index in stride(from: worker, to: responses.count, by: workers) {
                    var request = TransportRequest(url: server.url("/\(index)"), timeouts: limits)
                    if index % 3 == 1 { request.delivery = .stream }
                    if index % 5 == 1 { request.monitor = ExchangeMonitor() }
                    do {
                        let response = try await transport.send(request)
                        _ = (response.headers.count, response.reason, response.trailers, response.timings)
                        _ = try await response.body.collect()
                    } catch let error as TransportError where error.code == .timedOut {
                        hung += 1
                    } catch is TransportError {}
                    ended += 1
                }
                return (ended, hung)
            }.reduce((0, 0)) { ($0.0 + $1.0, $0.1 + $1.1) }
        }

        private static func reading(_ bytes: [UInt8], _ cuts: [Int], isToHead: Bool) -> [UInt8] {
            var reader = ResponseReader(isToHead: isToHead)
            var (made, start, isOver) = ([UInt8](), 0, false)
            for cut in cuts + [bytes.count] where !isOver {
                // Exactly the received bytes: the address sanitizer finds reads beyond them.
                Array(bytes[start..<cut]).withUnsafeBytes { input in
                    var position = 0
                    reading: while true {
                        switch reader.next(input, &position) {
                        case .needsMore: break reading
                        case .interim(let range, let status): made += [1, UInt8(status & 255)] + input[range]
                        case .head(let range): made += [2] + input[range]
                        case .content(let range): made += input[range]
                        case .end(let range):
                            (made, isOver) = (made + [3] + input[range], true)
                            break reading
                        case .switched, .fault:
                            (made, isOver) = (made + [4], true)
                            break reading
                        }
                    }
                    start += position
                }
            }
            if !isOver, case .end = reader.close() { made.append(5) }
            return made
        }

        @Test("the wire's reader gives the same result for any bytes, however they are cut")
        func reader() {
            var random = SplitMix64(seed: Self.seed &+ 2)
            var memory = FuzzMemory()
            for round in 0..<Self.count * 10 {
                if round == Self.count { memory.isEarly() }
                let bytes = [UInt8](ResponseFuzzer.response(&random))
                let isToHead = random.below(8) == 0
                let whole = Self.reading(bytes, [], isToHead: isToHead)
                let cuts = (0..<1 + random.below(4)).map { _ in random.below(bytes.count + 1) }.sorted()
                let parts = Self.reading(bytes, cuts, isToHead: isToHead)
                if whole != parts { Issue.record("cut at \(cuts), seed \(Self.seed): \(bytes)") }
            }
            memory.isLate("\(Self.count * 10) messages in the reader")
        }

        @Test("the parsers alone accept any bytes")
        func parsers() {
            var random = SplitMix64(seed: Self.seed &+ 1)
            for _ in 0..<Self.count * 5 {
                let bytes = [UInt8](ResponseFuzzer.response(&random))
                bytes.withUnsafeBytes { head in
                    let fields = HeaderLines.fields(in: head, skipsFirst: true)
                    #expect(fields.allSatisfy { !$0.name.isEmpty })
                    _ = (HeaderLines.fields(in: head, skipsFirst: false), HeaderLines.reason(in: head))
                }
                let text = "http" + (random.next() & 1 == 0 ? "s" : "") + "://"
                (Array(text.utf8) + bytes.prefix(40)).withUnsafeBufferPointer { bytes in
                    guard let parts = Origin.Parts(bytes) else { return }
                    #expect(parts.host.lowerBound < parts.host.upperBound && parts.host.upperBound <= parts.end)
                }
            }
        }
    }

    /// The process's resident memory after a tenth of a long run, and at its end.
    struct FuzzMemory {
        private var early = 0

        static var resident: Int {
            let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
            return (text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * 4096
        }

        mutating func isEarly() { early = Self.resident }

        /// Fails if it has grown by 64 MiB; other tests that run meanwhile would count as well, so only where asked for.
        func isLate(_ what: String) {
            let late = Self.resident
            print("fuzz: \(what), resident \(early >> 10) kB after a tenth, \(late >> 10) kB at the end")
            if early > 0, TestRounds.given != nil { #expect(late < early + 64 << 20) }
        }
    }

    extension SplitMix64 {
        fileprivate mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }

        fileprivate mutating func one<Element>(of elements: [Element]) -> Element { elements[below(elements.count)] }
    }

    enum ResponseFuzzer {
        private static let statuses = [
            "200", "204", "206", "304", "100", "101", "103", "199", "301", "404", "999", "0",
            "-1", "2", "20", "2000", "99999999999", "2x0", "",
        ]
        private static let numbers = [
            "0", "1", "3", "-1", "+3", "3, 3", "3, 4", "0x3", "9223372036854775807",
            "9223372036854775808", "18446744073709551616", "999999999999999999", "", " ", "3abc",
        ]
        private static let sizes = [
            "0", "3", "0003", "ffffffff", "7fffffffffffffff", "8000000000000000", "-1", "g", "",
            "3;x=y", "3 ", "10000000000000000000",
        ]
        private static let codings = [
            "gzip", "deflate", "br", "zstd", "identity", "gzip, gzip", "x", "", "gzip,br,zstd,gzip",
        ]
        private static let versions = [
            "HTTP/1.1", "HTTP/1.0", "HTTP/2", "HTTP/3", "HTTP/0.9", "HTTP/9.9", "http/1.1",
            "HTTP/", "ICY", "HTTP/1.1.1",
        ]

        static func response(_ random: inout SplitMix64) -> Data {
            var head =
                "\(random.one(of: versions)) \(random.one(of: statuses)) \(random.one(of: ["OK", "", "a b"]))\r\n"
            if random.below(4) > 0 { head = "HTTP/1.1 200 OK\r\n" }
            for _ in 0..<random.below(5) {
                switch random.below(6) {
                case 0: head += "Content-Length: \(random.one(of: numbers))\r\n"
                case 1: head += "Content-Encoding: \(random.one(of: codings))\r\n"
                case 2:
                    head += "Transfer-Encoding: \(random.one(of: ["chunked", "gzip, chunked", "x", "identity"]))\r\n"
                case 3: head += "X-\(random.next()): \(random.next())\r\n"
                case 4: head += random.one(of: [" folded\r\n", "\tfolded\r\n", ": none\r\n", "no colon\r\n", "a:\r\n"])
                default: head += "Connection: \(random.one(of: ["close", "keep-alive", "upgrade"]))\r\n"
                }
            }
            head += "\r\n"
            for _ in 0..<random.below(4) { head += "\(random.one(of: sizes))\r\nabc\r\n" }
            var bytes = Array(head.utf8)
            if random.below(3) == 0 {
                bytes += (0..<random.below(40)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            }
            for _ in 0..<random.below(4) { mutate(&bytes, &random) }
            return Data(bytes)
        }

        private static func mutate(_ bytes: inout [UInt8], _ random: inout SplitMix64) {
            guard !bytes.isEmpty else { return }
            let place = random.below(bytes.count)
            switch random.below(6) {
            case 0: bytes[place] = UInt8(truncatingIfNeeded: random.next())
            case 1: bytes[place] ^= 1 << UInt8(random.below(8))
            case 2: bytes.removeSubrange(place..<min(bytes.count, place + 1 + random.below(8)))
            case 3: bytes.insert(contentsOf: bytes[place..<min(bytes.count, place + random.below(30))], at: place)
            case 4: bytes.removeSubrange(place...)
            default: bytes.insert(random.one(of: [0, 10, 13, 32, 58, 255]), at: place)
            }
        }
    }

    @Suite("Curl: numbers from the wire and from a configuration", .timeLimit(.minutes(10)), .paced)
    struct HostileHeadTests {
        @Test(
            "an absurd length ends the exchange, not the process",
            arguments: ["999999999999999999", "9223372036854775807"],
            ["gzip", "identity"]
        )
        func length(value: String, coding: String) async throws {
            let server = try LoopbackServer { _ in
                .raw("HTTP/1.1 200 OK\r\nContent-Encoding: \(coding)\r\nContent-Length: \(value)\r\n\r\nabc")
            }
            await #expect(throws: TransportError.self) {
                try await CurlTransport().send(TransportRequest(url: server.url("/")))
            }
        }

        @Test("the decompression ratio has no maximum", arguments: [Int.max, Int.min, 0])
        func ratio(ratio: Int) async throws {
            let server = try LoopbackServer { _ in
                .data(Gzip.zeros(3_000_000), type: "text/plain").header("Content-Encoding", "gzip")
            }
            let transport = CurlTransport.made { $0.decompression.ratio = ratio }
            let outcome = await Result { try await transport.send(TransportRequest(url: server.url("/"))) }
            switch outcome {
            case .success(let response): #expect(response.body.data?.count == 3_000_000)
            case .failure(let error): #expect((error as? TransportError)?.code == .responseTooLarge)
            }
            #expect((try? outcome.get()) != nil || ratio < 100)
        }

        @Test("a configuration with extreme numbers works or is refused", arguments: [Int.max, Int.min, 0])
        func configuration(number: Int) async throws {
            var configuration = CurlTransport.Configuration()
            configuration.connectionsPerHost = number
            configuration.totalConnections = number
            configuration.loops = number
            configuration.idleConnectionLifetime = .seconds(Int64(number))
            configuration.decompression.limit = Int64(number)
            let server = try LoopbackServer { _ in .text("ok") }
            let transport = CurlTransport(configuration: configuration)
            #expect(try await transport.send(TransportRequest(url: server.url("/"))).status == 200)
        }

        @Test("a negative promised length is refused", arguments: [-1, Int64.min])
        func promise(length: Int64) async throws {
            let server = try LoopbackServer { _ in .text("ok") }
            let body = RequestBody.stream(length: length) { AsyncThrowingStream { $0.finish() } }
            let request = TransportRequest(method: .put, url: server.url("/"), body: body)
            let error = await CurlTransport().error(of: request)
            #expect(error?.code == .invalidRequest)
            #expect(server.counts.connections == 0)
        }
    }

    extension Result where Failure == any Error {
        init(_ body: () async throws -> Success) async {
            do { self = .success(try await body()) } catch { self = .failure(error) }
        }
    }
#endif
