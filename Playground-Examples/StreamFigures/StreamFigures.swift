import CoreNetKitStreams
import Foundation
import ProgramArguments

/// The speed of the parsers, compared with a plain loop over the same bytes, and the memory that a long array takes.
///
/// `swift run -c release StreamFigures 32` reads 32 MB of each kind, and an array of 32 times that size; `StreamFigures
/// wire` measures the cost over a socket, to a server in a process of its own; `StreamFigures events 1000` reads that many events, for callgrind.
@main
struct StreamFigures {
    /// Synchronous, because callgrind does not follow a main thread that exits.
    static func main() throws {
        let arguments = ProgramArguments(
            """
            usage: StreamFigures [MEGABYTES | wire | array MEBIBYTES | events COUNT | lines COUNT]

            Measures the parsers of streams: MEGABYTES of each kind, over a socket, the memory of one long array, or
            COUNT events or lines for callgrind.
            """,
            values: 2
        )
        let kind = arguments.values.first
        switch kind {
        case "array": return try Bytes.longArray(arguments.number(at: 1, default: 1) << 20)
        case "wire": return over { try await WireFigures().run() }
        case "server": return try WireServer.run()
        case "events", "lines":
            let count = arguments.number(at: 1, default: 1)
            let text =
                kind == "events" ? "event: token\ndata: {\"a\":\"\(fill)\"}\n\n" : "{\"a\":\"\(fill)\"}\n"
            let chunks = Bytes.chunks(text, count * text.utf8.count)
            let found =
                kind == "events"
                ? try Bytes.events(in: chunks) : try Bytes.pieces(in: chunks, JsonLineParser())
            return print(kind ?? "", found)
        default: arguments.expect(atMost: 1)
        }
        let size = arguments.number(at: 0, default: 1) * 1_000_000
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

    private static let fill = String(repeating: "x", count: 80)

    private static func over(_ body: @escaping @Sendable () async throws -> Void) {
        let isDone = DispatchSemaphore(value: 0)
        Task.detached {
            do { try await body() } catch { print(error) }
            isDone.signal()
        }
        isDone.wait()
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
            let start = processorTime
            count = try body()
            best = min(best, processorTime - start)
        }
        let seconds = max(best / .seconds(1), 1e-6)
        print("  \(name): \(Int(Double(size) / 1e6 / seconds)) MB/s, \(Int(Double(count) / seconds)) found a second")
    }

    /// The chunk is the same each time: any growth in memory is the parser's.
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

    /// The processor time of this process so far, in the kernel, too.
    static var processorTime: Duration {
        var used = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used)
        return .seconds(used.tv_sec) + .nanoseconds(used.tv_nsec)
    }

    /// The memory in use now, in kilobytes.
    static var resident: Int {
        let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
        return (text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * 4
    }

    private static var peak: String {
        let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") } ?? "unknown"
        return line.dropFirst("VmHWM:".count).trimmingCharacters(in: .whitespaces)
    }
}
