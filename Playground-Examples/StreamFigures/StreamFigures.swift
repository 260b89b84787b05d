import CoreNetKitStreams
import Foundation

/// How fast the parsers are, beside a plain loop over the same bytes, and how much memory a long array takes.
///
/// `swift run -c release StreamFigures 32` reads 32 MB of each kind, and an array of 32 times that size.
@main
struct StreamFigures {
    static func main() throws {
        let size = (CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 1) * 1_000_000
        for count in [1, 80, 1000] {
            let text = String(repeating: "x", count: count)
            let events = Bytes.chunks("event: token\ndata: {\"a\":\"\(text)\"}\n\n", size)
            let lines = Bytes.chunks("{\"a\":\"\(text)\",\"b\":[1,2]}\n", size)
            let array = [Data("[".utf8)] + Bytes.chunks("{\"a\":\"\(text)\",\"b\":[1,2]},", size) + [Data("1]".utf8)]
            print("texts of \(count) bytes")
            Bytes.time("plain loop", size) { Bytes.lineFeeds(in: lines) }
            Bytes.time("plain loop that copies lines", size) { Bytes.copiedLines(of: lines) }
            try Bytes.time("events", size) { try Bytes.events(in: events) }
            try Bytes.time("lines", size) { try Bytes.pieces(in: lines, JsonLineParser()) }
            try Bytes.time("elements", size) { try Bytes.pieces(in: array, JsonElementParser(at: "")) }
        }
        try Bytes.longArray(size * 32)
    }
}

enum Bytes {
    static func chunks(_ text: String, _ size: Int) -> [Data] {
        let all = Data(String(repeating: text, count: size / text.utf8.count).utf8)
        return stride(from: 0, to: all.count, by: 16_384).map { Data(all[$0..<min($0 + 16_384, all.count)]) }
    }

    static func lineFeeds(in chunks: [Data]) -> Int {
        chunks.reduce(0) { count, chunk in chunk.withUnsafeBytes { bytes in count + bytes.count { $0 == 0x0A } } }
    }

    static func copiedLines(of chunks: [Data]) -> Int {
        var (count, line) = (0, [UInt8]())
        for chunk in chunks {
            chunk.withUnsafeBytes { bytes in
                for byte in bytes {
                    if byte != 0x0A {
                        line.append(byte)
                    } else {
                        count += line.isEmpty ? 0 : 1
                        line.removeAll(keepingCapacity: true)
                    }
                }
            }
        }
        return count
    }

    static func events(in chunks: [Data]) throws -> Int {
        var (parser, count) = (EventParser(), 0)
        for chunk in chunks {
            parser.feed(chunk)
            while try parser.next() != nil { count += 1 }
        }
        return count
    }

    static func pieces(in chunks: [Data], _ parser: some JsonPieceParser) throws -> Int {
        var (parser, count) = (parser, 0)
        for chunk in chunks {
            parser.feed(chunk)
            while try parser.next() != nil { count += 1 }
        }
        while try parser.finish() != nil { count += 1 }
        return count
    }

    static func time(_ name: String, _ size: Int, _ body: () throws -> Int) rethrows {
        var best = Duration.seconds(1000)
        var count = 0
        for _ in 0..<5 {
            let start = ContinuousClock.now
            count = try body()
            best = min(best, ContinuousClock.now - start)
        }
        print("  \(name): \(Int(Double(size) / 1e6 / (best / .seconds(1)))) MB/s, \(count) found")
    }

    /// The chunk is the same one each time: whatever memory grows is the parser's.
    static func longArray(_ size: Int) throws {
        let element = "{\"id\":123456,\"text\":\"\(String(repeating: "x", count: 200))\",\"list\":[1,2,3]},"
        let chunk = Data(String(repeating: element, count: 65_536 / element.utf8.count).utf8)
        var parser = JsonElementParser(at: "items")
        parser.feed(Data("{\"items\":[".utf8))
        var (count, fed) = (0, 0)
        let before = peak
        while fed < size {
            parser.feed(chunk)
            fed += chunk.count
            while try parser.next() != nil { count += 1 }
        }
        print("array of \(fed / 1_000_000) MB, \(count) elements: peak memory before \(before), behind \(peak)")
    }

    private static var peak: String {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") } ?? "unknown"
        return line.dropFirst("VmHWM:".count).trimmingCharacters(in: .whitespaces)
    }
}
