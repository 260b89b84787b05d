import TestSupport

@testable import CoreNetKitOutbox

@Suite("The fast reader of heads", .paced)
struct HeadScanTests {
    private static func head(_ random: inout SplitMix64) -> EntryHead {
        let rules: [OutboxRepetition] = [.byMethod, .harmless, .atMostOnce, .keyIsHonoured(for: .seconds(60))]
        func text() -> String { Bool.random(using: &random) ? random.text() : "plain/42" }
        func maybe<Value>(_ value: @autoclosure () -> Value) -> Value? {
            Bool.random(using: &random) ? value() : nil
        }
        var head = EntryHead(
            id: UUID(),
            queue: text(),
            kind: text(),
            method: ["GET", "POST", "PUT", "ODD"].randomElement(using: &random) ?? "GET",
            url: "https://API.example.com:8443/a?b=" + text(),
            fields: ["Content-Type": "text/\"plain\\", "X": text()],
            made: WallMoment(
                wall: Int64.random(in: .min ... .max, using: &random),
                steady: Int64.random(in: 0 ... .max, using: &random),
                bootID: maybe(UInt64.random(in: .min ... .max, using: &random)) ?? 0
            ),
            repetition: rules.randomElement(using: &random) ?? .byMethod
        )
        if head.made.bootID == 0 { head.made = WallMoment(wall: head.made.wall) }
        (head.key, head.expires, head.mergeKey) = (maybe(text()), maybe(Int64.max), maybe(text()))
        (head.owner, head.position, head.replaces) = (maybe(text()), maybe(UInt64.max), maybe(UUID()))
        (head.expects, head.revision) = (maybe(text()), maybe(-7) ?? 0)
        (head.hasBody, head.isJob) = (maybe(true) ?? false, maybe(true) ?? false)
        return head
    }

    @Test("reads what the full reader reads, or leaves it to that one")
    func same() throws {
        var random = SplitMix64(seed: 3)
        var count = 0
        for _ in 0..<2_000 {
            let payload = try Self.head(&random).encoded(body: [1, 2, 3])
            var expected = try #require(EntryHead.decode(payload)).0
            (expected.fields, expected.key, expected.revision) = ([:], nil, 0)
            guard let found = HeadScan.head(payload) else { continue }
            count += 1
            #expect(found == expected)
        }
        #expect(count > 200)
    }

    @Test("leaves truncated, duplicated, spaced and escaped heads, and those with a file, to the full reader")
    func odd() throws {
        var random = SplitMix64(seed: 4)
        var head = Self.head(&random)
        (head.queue, head.kind, head.url) = ("a", "b", "https://c/")
        (head.owner, head.mergeKey, head.expects) = (nil, nil, nil)
        let payload = try head.encoded(body: [])
        #expect(HeadScan.head(payload) != nil)
        for count in 0..<payload.count { #expect(HeadScan.head(Array(payload[..<count])) == nil) }
        let text = String(decoding: payload[4...], as: UTF8.self)
        for (part, other) in [
            ("\"queue\":\"a\"", "\"queue\": \"a\""), ("\"queue\":\"a\"", "\"queue\":\"\\u0061\""),
            ("\"queue\":\"a\"", "\"queue\":\"a\",\"queue\":\"b\""), ("\"queue\":\"a\"", "\"queue\":1"),
            ("\"queue\":\"a\"", "\"place\":1.5,\"queue\":\"a\""), ("\"queue\":\"a\"", "\"place\":01,\"queue\":\"a\""),
            ("\"queue\":\"a\",", ""),
        ] {
            let changed = [UInt8](text.replacing(part, with: other).utf8)
            let count = withUnsafeBytes(of: UInt32(changed.count).littleEndian) { Array($0) }
            #expect(HeadScan.head(count + changed) == nil, "\(other)")
        }
        var (file, conditional, replacing) = (head, head, head)
        file.blob = .init(name: "x", byteCount: 1, digest: "y")
        conditional.conditions = [.unmetered]
        replacing.replacedIDs = [UUID()]
        for head in [file, conditional, replacing] { #expect(HeadScan.head(try head.encoded(body: [])) == nil) }
    }

    @Test("the full reader reads conditions and stand-ins as they were written")
    func conditions() throws {
        var random = SplitMix64(seed: 5)
        var head = Self.head(&random)
        head.conditions = [.connected, .named("charging"), .after(UUID())]
        head.replacedIDs = [UUID(), UUID()]
        let found = try #require(EntryHead.decode(try head.encoded(body: []))).0
        #expect(found == head)
    }
}
