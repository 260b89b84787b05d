import CoreNetKitStreams
import TestSupport

@Suite("Compressed streams", .timeLimit(.minutes(10)), .paced)
struct CompressedStreamTests {
    private let wire: Wire

    init() throws { wire = try Wire() }

    private func serve(_ type: String, _ content: Data) {
        wire.server.on(.get, "/", .data(content, type: type).header("Content-Encoding", "deflate"))
    }

    @Test("compressed events and lines are those that were compressed")
    func same() async throws {
        serve("text/event-stream", Deflated.stored(Data("id: 1\ndata: a\n\nid: 2\ndata: b\n\n".utf8)))
        let events = try await wire.get("/").events().reconnect(.never).process()
        var seen: [String] = []
        for try await event in events { seen.append("\(event.id) \(event.model.data)") }
        #expect(seen == ["1 a", "2 b"])
        let text = (0..<2_000).map { "{\"word\":\"\($0)\"}\n" }.joined()
        serve("application/jsonl", Deflated.stored(Data(text.utf8)))
        let chain: Chain<Void, ElementStream<Word>> = wire.get("/").lines(reading: .json)
        var count = 0
        for try await word in try await chain.process() {
            #expect(word.word == "\(count)")
            count += 1
        }
        #expect(count == 2_000)
    }

    // Line feeds are lines and parts of nothing: no limit of a line or an element would end them.
    @Test(
        "a bomb ends the stream with an error, whatever is read from it",
        arguments: ["events", "lines", "elements", "parts"]
    )
    func bomb(kind: String) async throws {
        let types = [
            "events": "text/event-stream", "lines": "application/jsonl", "elements": "application/json",
            "parts": "multipart/mixed; boundary=b",
        ]
        serve(types[kind] ?? "", Deflated.repeated(0x0A, 8_000_000))
        let failure = await #expect(throws: NetworkError.self) {
            switch kind {
            case "events":
                for try await _ in try await wire.get("/").events().reconnect(.never).process() {}
            case "parts":
                for try await _ in try await wire.get("/").parts(reading: .data).process() {}
            default:
                let lines: Chain<Void, ElementStream<Word>> =
                    kind == "lines"
                    ? wire.get("/").lines(reading: .json) : wire.get("/").elements(at: "items", reading: .json)
                for try await _ in try await lines.process() {}
            }
        }
        #expect(failure?.code == .responseTooLarge)
    }
}

/// Content in the format of zlib, made without a library.
enum Deflated {
    private static let modulus = 65_521

    /// Content as it is, in blocks that are not compressed.
    static func stored(_ content: Data) -> Data {
        var bytes: [UInt8] = [0x78, 0x01]
        let blocks = stride(from: 0, to: max(content.count, 1), by: 60_000).map {
            content.dropFirst($0).prefix(60_000)
        }
        for (index, block) in blocks.enumerated() {
            let size = UInt16(block.count)
            bytes.append(index == blocks.count - 1 ? 1 : 0)
            for value in [size, ~size] { bytes += [UInt8(value & 255), UInt8(value >> 8)] }
            bytes += block
        }
        var (low, high) = (1, 0)
        for byte in content {
            low = (low + Int(byte)) % modulus
            high = (high + low) % modulus
        }
        return Data(bytes + checksum(low, high))
    }

    /// A byte below 144 so many times: each byte on the wire stands for about 158 of them.
    static func repeated(_ byte: UInt8, _ count: Int) -> Data {
        var bytes: [UInt8] = [0x78, 0x9C]
        var (pending, filled) = (0, 0)
        func put(_ value: Int, _ width: Int) {
            pending |= value << filled
            filled += width
            while filled >= 8 {
                bytes.append(UInt8(pending & 255))
                pending >>= 8
                filled -= 8
            }
        }
        func put(code: Int) { for bit in (0..<8).reversed() { put(code >> bit & 1, 1) } }
        // One last block of fixed codes: the byte, then "258 bytes from one back".
        put(0b011, 3)
        let repeats = (count - 1) / 258
        for _ in 0..<(count - repeats * 258) { put(code: 0x30 + Int(byte)) }
        for _ in 0..<repeats {
            put(code: 0b1100_0101)
            put(0, 5)
        }
        put(0, 7)
        if filled > 0 { put(0, 8 - filled) }
        let low = (1 + count * Int(byte)) % modulus
        let high = (count + Int(byte) * (count * (count + 1) / 2 % modulus)) % modulus
        return Data(bytes + checksum(low, high))
    }

    private static func checksum(_ low: Int, _ high: Int) -> [UInt8] {
        [UInt8(high >> 8), UInt8(high & 255), UInt8(low >> 8), UInt8(low & 255)]
    }
}
