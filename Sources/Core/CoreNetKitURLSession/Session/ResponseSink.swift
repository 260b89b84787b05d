import CoreNetKitHTTP
import CoreNetKitSystem
import CoreNetKitWire
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Receives the content of one response, on the engine's queue.
protocol ResponseSink: AnyObject {
    func receive(_ data: Data) throws(TransportError)
    func finish() throws(TransportError) -> ResponseBody
    /// The bytes collected so far, for content that fails.
    var arrived: Data { get }
    func abort(_ error: any Error)
}

extension ResponseSink {
    var arrived: Data { Data() }
    func abort(_ error: any Error) {}
}

struct ContentCount {
    private static let expansion = ExpansionGuard(ratio: 100, total: 4 << 30)
    private let isCoded: Bool
    /// The bytes on the wire; `nil` if the content has another limit.
    private let wire: Int64?
    private var received: Int64 = 0

    /// With `isLimited`, the content has another limit.
    init(_ head: SessionResponseHead, isLimited: Bool = false) {
        isCoded = !head.codings.isEmpty
        // `URLSession` reports decoded bytes only: without a length, the content counts as a MiB of them.
        let length = head.headers["Content-Length"].flatMap { Int64($0) } ?? ExpansionGuard.free
        wire = isLimited ? nil : max(0, length)
    }

    mutating func add(_ data: Data) throws(TransportError) {
        received += Int64(data.count)
        guard isCoded, Self.expansion.refuses(received, from: wire) else { return }
        let message = "the content expands beyond the decompression guard"
        throw TransportError(.responseTooLarge, phase: .receive, message: message)
    }
}

final class CollectingSink: ResponseSink {
    /// `nil` drops the content.
    private let limit: Int?
    private var count: ContentCount
    private(set) var arrived = Data()

    init(limit: Int?, head: SessionResponseHead) {
        self.limit = limit
        count = ContentCount(head, isLimited: true)
        if let limit, let length = head.headers["Content-Length"].flatMap(Int.init), length > 0 {
            arrived.reserveCapacity(min(length, limit, 16 << 20))
        }
    }

    func receive(_ more: Data) throws(TransportError) {
        guard let limit else { return }
        guard arrived.count + more.count <= limit else { throw .tooLarge(limit: limit) }
        try count.add(more)
        arrived.append(more)
    }

    func finish() -> ResponseBody { .bytes(arrived) }
}

/// Writes the content beside its destination, and moves it there when it is complete.
final class FileSink: ResponseSink {
    private let destination: URL
    private let path: String
    private let file: DescriptorFile
    private var count: ContentCount?
    private var isFinished = false

    init(_ destination: URL) throws(TransportError) {
        self.destination = destination
        path = destination.path + "." + UUID().uuidString + ".part"
        do { file = try DescriptorFile(creating: path) } catch { throw FileSink.failed(error.reason) }
    }

    deinit { discard() }

    func begin(_ head: SessionResponseHead) { count = ContentCount(head) }

    func receive(_ data: Data) throws(TransportError) {
        try count?.add(data)
        do { try file.append(data) } catch { throw FileSink.failed(error.reason) }
    }

    func finish() throws(TransportError) -> ResponseBody {
        do { try PosixFiles().rename(path, to: destination.path) } catch { throw FileSink.failed(error.reason) }
        isFinished = true
        return .file(destination)
    }

    func abort(_ error: any Error) { discard() }

    private func discard() {
        guard !isFinished else { return }
        isFinished = true
        try? FileManager.default.removeItem(atPath: path)
    }

    private static func failed(_ text: String) -> TransportError {
        TransportError(.fileFailed, phase: .receive, message: "the response's file cannot be written: \(text)")
    }
}

/// Status and fields, as far as `HTTPURLResponse` preserves them.
struct SessionResponseHead {
    let status: Int
    let headers: Headers
    /// The codings of the content on the wire.
    let codings: ContentCodings

    init?(_ response: URLResponse) {
        guard let response = response as? HTTPURLResponse else { return nil }
        status = response.statusCode
        var fields: [Headers.Field] = []
        for case (let name as String, let value as String) in response.allHeaderFields {
            // Lists have the same meaning when joined, except for cookies.
            let values = Headers.matches(name, "Set-Cookie") ? Self.cookies(in: value) : [value]
            fields += values.map { Headers.Field(name: name, value: Self.trimmed($0)) }
        }
        // The platform's dictionary is unordered; this order is always the same.
        let order = fields.enumerated().sorted { left, right in
            let (a, b) = (left.element.name.lowercased(), right.element.name.lowercased())
            return a == b ? left.offset < right.offset : a < b
        }
        headers = Headers(order.map { ($0.element.name, $0.element.value) })
        var codings = ContentCodings()
        for value in headers[values: "Content-Encoding"] {
            Array(value.utf8).withUnsafeBytes { codings.add(0..<$0.count, of: $0) }
        }
        self.codings = codings
    }

    /// The length of the delivered content; unknown for encoded content, which arrives decoded.
    var length: Int64? {
        guard codings.isEmpty else { return nil }
        return headers["Content-Length"].flatMap(Int64.init)
    }

    private static func trimmed(_ value: String) -> String {
        guard let last = value.lastIndex(where: { $0 != " " && $0 != "\t" }) else { return "" }
        return String(value[...last])
    }

    /// Splits joined `Set-Cookie` fields: a comma begins a new cookie if a name and `=` follow it.
    ///
    /// Cookie values have no commas (RFC 6265, 4.1.1); the date in `Expires` has one, but no `=` after it.
    static func cookies(in value: String) -> [String] {
        var cookies: [Substring] = []
        for part in value.split(separator: ",", omittingEmptySubsequences: false) {
            let name = part.prefix { $0 != "=" && $0 != ";" }.drop { $0 == " " }
            let isCookie = name.endIndex < part.endIndex && part[name.endIndex] == "=" && !name.contains(" ")
            if isCookie || cookies.isEmpty {
                cookies.append(part)
            } else if let last = cookies.popLast() {
                cookies.append(last + "," + part)
            }
        }
        return cookies.map { String($0.drop { $0 == " " }) }
    }
}
