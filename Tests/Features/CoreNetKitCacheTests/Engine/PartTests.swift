import CoreNetKitCache
import TestSupport

/// A server's file that is served in parts, and changes.
private final class Shelf: Sendable {
    let state = Locked((text: "0123456789", tag: "\"a\"" as String?, control: "max-age=60"))

    var handler: Origin.Handler {
        { [state] request, _ in
            let file = state.withLock { $0 }
            var headers: Headers = ["Cache-Control": file.control]
            if let tag = file.tag { headers["ETag"] = tag }
            let bytes = Array(file.text.utf8)
            let mayCut = request.headers["If-Range"].map { $0 == file.tag } ?? true
            guard mayCut, let text = request.headers["Range"],
                let range = ByteRange(text)?.positions(in: Int64(bytes.count))
            else {
                if let tag = file.tag, request.headers["If-None-Match"] == tag { return reply(304, headers, "") }
                return reply(200, headers, file.text)
            }
            headers["Content-Range"] = ContentRange(range, of: Int64(bytes.count)).text
            headers["Content-Length"] = String(range.count)
            let cut = bytes[Int(range.lowerBound)..<Int(range.upperBound)]
            return reply(206, headers, String(decoding: cut, as: UTF8.self))
        }
    }

    func change(_ text: String, _ tag: String) { state.withLock { ($0.text, $0.tag) = (text, tag) } }
}

private func part(_ range: String, _ more: Headers = [:], delivery: ResponseDelivery = .collect) -> TransportRequest {
    var headers: Headers = ["Range": "bytes=\(range)"]
    headers.merge(more)
    return get(headers, delivery: delivery)
}

@Suite("Stored parts", .timeLimit(.minutes(10)), .paced)
struct PartTests {
    private let shelf = Shelf()
    private let setting: Setting

    init() { setting = Setting(shelf.handler) }

    @Test(
        "a stored part serves requests for itself and for less",
        arguments: [
            ("-5", "56789", "5-9"), ("5-9", "56789", "5-9"), ("6-8", "678", "6-8"), ("6-", "6789", "6-9"),
            ("-1", "9", "9-9"),
        ]
    )
    func reuse(range: String, text: String, positions: String) async throws {
        #expect(try await setting.text(part("-5")) == "56789")
        let response = try await setting.send(part(range))
        #expect(String(decoding: try await response.body.collect(), as: UTF8.self) == text)
        #expect(response.status == 206)
        #expect(response.headers["Content-Range"] == "bytes \(positions)/10")
        #expect(response.headers["Content-Length"] == String(text.utf8.count))
        #expect(setting.outcome?.source == .hit && setting.origin.count == 1)
    }

    @Test("a part never serves a request for the whole, for its head, or for missing bytes")
    func never() async throws {
        shelf.state.withLock { $0.tag = nil }
        _ = try await setting.send(part("4-7"))
        for request in [get(), part("3-5"), part("7-8"), part("-4"), get(method: .head)] {
            #expect(try await setting.send(request, mode: .only).status == 504)
        }
        #expect(try await setting.text() == "0123456789")
        #expect(setting.origin.requests.last?.headers["Range"] == nil)
    }

    @Test("a stored beginning is completed by one request for the rest, conditional on the same bytes")
    func complete() async throws {
        _ = try await setting.send(part("0-4"))
        #expect(try await setting.text() == "0123456789")
        let sent = try #require(setting.origin.requests.last)
        #expect(sent.headers["Range"] == "bytes=5-" && sent.headers["If-Range"] == "\"a\"")
        #expect(setting.outcome?.reason == CacheReason(.incomplete) && setting.outcome?.isStored == true)
        // It is complete from now on.
        let response = try await setting.send()
        #expect(response.status == 200 && response.headers["Content-Range"] == nil)
        #expect(response.headers["Content-Length"] == "10")
        #expect(setting.outcome?.source == .hit && setting.origin.count == 2)
    }

    @Test("a rest that begins elsewhere than it was asked for is not joined: the whole is fetched")
    func otherRest() async throws {
        let setting = Setting { [shelf] request, number in
            var request = request
            if request.headers["Range"] == "bytes=5-" { request.headers["Range"] = "bytes=4-" }
            return try await shelf.handler(request, number)
        }
        _ = try await setting.send(part("0-4"))
        #expect(try await setting.text() == "0123456789")
        #expect(setting.origin.requests.map { $0.headers["Range"] } == ["bytes=0-4", "bytes=5-", nil])
    }

    @Test("a completion that must not be stored stores nothing, and the part is removed if the server says so")
    func completionNoStore() async throws {
        for (request, response, left) in [("no-store", "max-age=60", 206), ("max-age=60", "no-store", 504)] {
            let shelf = Shelf()
            let setting = Setting(shelf.handler)
            _ = try await setting.send(part("0-4"))
            shelf.state.withLock { $0.control = response }
            #expect(try await setting.text(get(["Cache-Control": request])) == "0123456789")
            #expect(setting.origin.requests.last?.headers["Range"] == "bytes=5-")
            #expect(try await setting.send(mode: .only).status == 504)
            #expect(try await setting.send(part("0-4"), mode: .only).status == left)
        }
    }

    @Test("a range that begins in a stored part is completed too, and streams get both pieces")
    func completeRange() async throws {
        _ = try await setting.send(part("2-4"))
        let response = try await setting.send(part("3-7", delivery: .stream))
        #expect(response.status == 206)
        #expect(response.headers["Content-Range"] == "bytes 3-7/10")
        #expect(String(decoding: try await response.body.collect(), as: UTF8.self) == "34567")
        #expect(setting.origin.requests.last?.headers["Range"] == "bytes=5-7")
        #expect(try await setting.text(part("2-7")) == "234567")
        #expect(setting.origin.count == 2)
    }

    @Test("changed content arrives whole, replaces the part, and is not mixed with it")
    func changed() async throws {
        _ = try await setting.send(part("0-4"))
        shelf.change("abcdefghij", "\"b\"")
        #expect(try await setting.text() == "abcdefghij")
        #expect(try await setting.text(part("0-4")) == "abcde")
        #expect(setting.origin.count == 2)
    }

    @Test("without a strong tag nothing is combined", arguments: [nil, "W/\"a\""])
    func weak(tag: String?) async throws {
        shelf.state.withLock { $0.tag = tag }
        _ = try await setting.send(part("0-4"))
        _ = try await setting.send(part("5-9"))
        #expect(try await setting.text(part("5-9")) == "56789")
        #expect(setting.origin.count == 2)
        #expect(try await setting.send(part("0-9"), mode: .only).status == 504)
        #expect(try await setting.text() == "0123456789")
        #expect(setting.origin.requests.last?.headers["Range"] == nil)
    }

    @Test(
        "adjacent parts of the same bytes become one, in any order and form",
        arguments: [["0-2", "3-5", "6-9"], ["6-9", "3-5", "0-2"], ["3-6", "0-4", "5-"], ["4-5", "6-9", "0-3"]],
        [ResponseDelivery.collect, .stream]
    )
    func join(ranges: [String], delivery: ResponseDelivery) async throws {
        for range in ranges {
            let request = part(range, ["If-Range": "\"a\""], delivery: delivery)
            // A reload of a part asks for what its caller asks for.
            _ = try await setting.send(request, mode: .reload).body.collect()
        }
        #expect(setting.origin.requests.map { $0.headers["Range"] } == ranges.map { "bytes=\($0)" })
        #expect(try await setting.text() == "0123456789")
        #expect(try await setting.text(part("2-7")) == "234567")
        #expect(setting.origin.count == 3)
    }

    @Test("of two parts with a gap between them the later one stays")
    func gap() async throws {
        _ = try await setting.send(part("0-2"))
        _ = try await setting.send(part("7-9"))
        #expect(try await setting.send(part("0-2"), mode: .only).status == 504)
        #expect(try await setting.text(part("7-9"), mode: .only) == "789")
    }

    @Test(
        "a 206 with fewer bytes than it says is not stored, nor is one of an unknown whole",
        arguments: [
            ["Content-Range": "bytes 4-9/10"], ["Content-Range": "bytes 5-9/10", "Content-Length": "6"],
            ["Content-Range": "bytes 5-9/*"], ["Content-Range": "bytes 9-5/10"], ["Content-Range": "bytes 5-9/9"],
            ["Content-Range": "lines 5-9/10"], ["Content-Type": "multipart/byteranges; boundary=x"],
            ["Content-Range": ""], ["Content-Range": "bytes 5-9/10", "Content-Encoding": "gzip"],
        ] as [Headers]
    )
    func notStored(fields: Headers) async throws {
        var headers = tagged
        headers.merge(fields)
        let setting = Setting(headers, status: 206, body: "01234")
        #expect(try await setting.text(part("-5")) == "01234")
        #expect(try await setting.send(part("-5"), mode: .only).status == 504)
    }

    @Test("a 206 with the strong tag of the stored whole makes it fresh, with the newer fields")
    func freshens() async throws {
        _ = try await setting.send()
        setting.time.advance(100)
        shelf.state.withLock { $0.control = "max-age=70" }
        #expect(try await setting.text(part("0-1")) == "01")
        let response = try await setting.send()
        #expect(response.status == 200)
        #expect(response.headers["Cache-Control"] == "max-age=70")
        #expect(setting.outcome?.source == .hit)
        #expect(setting.origin.count == 2)
    }

    @Test("a 206 with another tag than the stored whole invalidates the whole")
    func outdates() async throws {
        _ = try await setting.send()
        shelf.change("abcdefghij", "\"b\"")
        #expect(try await setting.text(part("0-4", control("no-cache"))) == "abcde")
        #expect(try await setting.text() == "abcdefghij")
    }

    @Test("If-Range is matched by the strong tag or by a date that was old when it was sent, and by nothing else")
    func ifRange() async throws {
        let now = TestMachine().now.wallMilliseconds
        for (modified, condition, isMet) in [
            (now - 3_600_000, "tag", true), (now - 3_600_000, "date", true), (now - 2_000, "date", false),
            (now - 3_600_000, "\"b\"", false), (now - 3_600_000, "W/\"a\"", false),
        ] {
            let date = FieldDate.format(modified)
            let setting = Setting([
                "Cache-Control": "max-age=60", "ETag": "\"a\"", "Last-Modified": date, "Date": FieldDate.format(now),
            ])
            _ = try await setting.send()
            let field = condition == "tag" ? "\"a\"" : condition == "date" ? date : condition
            _ = try await setting.send(part("0-1", ["If-Range": field]))
            #expect((setting.origin.count == 1) == isMet, "\(condition)")
        }
    }

    @Test("parts survive the program on a disk, beside a whole with other request fields")
    func disk() async throws {
        let folder = TestFolder()
        for run in 0..<2 {
            let storage = DiskStorage(folder.path, limit: 1 << 20) { 0 }
            let setting = Setting(storage: storage, shelf.handler)
            #expect(try await setting.text(part("2-5")) == "2345")
            await storage.flush()
            #expect(setting.origin.count == (run == 0 ? 1 : 0))
        }
    }

    @Test("no response mixes two states of a changing file, whatever is requested", arguments: [true, false])
    func random(onDisk: Bool) async throws {
        // On disk a sequence takes ten times as long.
        for seed in TestRounds.seeds(100).prefix(TestRounds.count(100) / (onDisk ? 10 : 1)) {
            let folder = TestFolder()
            var random = SplitMix64(seed: UInt64(seed))
            let shelf = Shelf()
            let setting = Setting(
                storage: onDisk ? DiskStorage(folder.path, limit: 1 << 20) { 0 } : MemoryStorage(limit: 1 << 20),
                shelf.handler
            )
            var state: UInt8 = 0
            shelf.change("aaaaaaaaaa", "\"0\"")
            for _ in 0..<12 {
                switch Int.random(in: 0..<8, using: &random) {
                case 0:
                    state += 1
                    let length = [10, 10, 30].randomElement(using: &random) ?? 10
                    let text = String(repeating: Character(UnicodeScalar(97 + state)), count: length)
                    shelf.change(text, "\"\(state)\"")
                case 1: setting.time.advance(Int64.random(in: 1...80, using: &random))
                case 2: _ = try await setting.text()
                default:
                    let start = Int.random(in: 0..<30, using: &random)
                    let end = start + Int.random(in: 0..<20, using: &random)
                    let texts = ["\(start)-\(end)", "\(start)-", "-\(end - start + 1)"]
                    let text = try await setting.text(part(texts.randomElement(using: &random) ?? "0-"))
                    #expect(Set(text).count <= 1, "seed \(seed): \(text)")
                }
            }
            let text = try await setting.text(get(control("no-cache")))
            #expect(text == shelf.state.withLock { $0.text }, "seed \(seed)")
        }
    }
}
