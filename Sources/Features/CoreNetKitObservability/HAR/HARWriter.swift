public import CoreNetKitChain
public import CoreNetKitEssentials
import CoreNetKitHTTP
import CoreNetKitSystem

/// Writes records as an HTTP archive (HAR 1.2), entry by entry, so that memory does not grow with the number of calls.
///
/// There is one entry per exchange: redirects, retries and hedged requests are entries of their own. Calls that failed
/// before the wire have status 0 and `_error`; data without a place in HAR is in `_coreNetKit`.
/// - SeeAlso: [HAR 1.2](http://www.softwareishard.com/blog/har-12-spec/)
public struct HARWriter {
    private var output = JSONOutput()
    private let write: (Data) throws -> Void
    private var isFinished = false

    /// Begins an archive, and throws the error of `write`, which takes the bytes in order.
    ///
    /// The version is that of `creator`; `nil` is the package's.
    public init(version: String? = nil, to write: @escaping (Data) throws -> Void) throws {
        self.write = write
        output.begin(nil, "{")
        output.begin("log", "{")
        output.member("version", "1.2")
        output.object("creator") { output in
            output.member("name", "CoreNetKit")
            output.member("version", version ?? PackageVersion.text)
        }
        output.array("pages") { _ in }
        output.begin("entries", "[")
        try flush()
    }

    /// Adds the entries of one call; throws the error of the writing closure.
    public mutating func append(_ record: CallRecord) throws {
        guard !isFinished else { return }
        for entry in HAREntry.entries(of: CallTimeline(record)) { entry.write(to: &output) }
        try flush()
    }

    /// Ends the archive; throws the error of the writing closure.
    public mutating func finish() throws {
        guard !isFinished else { return }
        isFinished = true
        output.end("]")
        output.end("}")
        output.end("}")
        try flush()
    }

    /// A complete archive of calls in any order, as a JSON text; its entries are sorted by start.
    public static func data(of records: [CallRecord]) -> Data {
        let sorted = records.enumerated().sorted {
            ($0.element.startedAt, $0.offset) < ($1.element.startedAt, $1.offset)
        }
        var data = Data()
        if var writer = try? HARWriter(to: { data.append($0) }) {
            for (_, record) in sorted { try? writer.append(record) }
            try? writer.finish()
        }
        return data
    }

    private mutating func flush() throws { try write(Data(output.take())) }
}
