public import CoreNetKitEssentials
import CoreNetKitSystem

extension RequestBody {
    /// Part of a file, its bytes counted from 0, read while it is sent like a stream with a length; it can be sent again.
    ///
    /// A shorter file is a `bodyLengthMismatch`, an unreadable one `requestBodyFailed`; what follows the range does not matter.
    public static func file(_ url: URL, range: Range<Int64>) -> RequestBody {
        // An invalid range fails when it is read; its length could overflow.
        let length = range.lowerBound < 0 ? nil : range.upperBound - range.lowerBound
        return .stream(length: length, isReplayable: true) { FileRange(file: url, range: range) }
    }

    /// The same content as a stream, for a file with its current length; content in memory is unchanged.
    package func streamed() throws -> RequestBody {
        guard let fileURL else { return self }
        return .file(fileURL, range: 0..<(try FileRange.size(of: fileURL)))
    }
}

package struct FileRange: AsyncSequence, AsyncIteratorProtocol, Sendable {
    private static let pieceSize = 128 << 10

    private let file: URL
    private let end: Int64
    private var offset: Int64
    private var source: Source?

    init(file: URL, range: Range<Int64>) {
        (self.file, offset, end) = (file, range.lowerBound, range.upperBound)
    }

    fileprivate static func size(of file: URL) throws -> Int64 {
        let source = try Source(file)
        let status = try? PosixFiles().status(of: source.file)
        withExtendedLifetime(source) {}
        guard let status, status.kind == .file else { throw Source.failed("is not a regular file, or cannot be read") }
        return Int64(status.size)
    }

    /// The file is closed when the iteration ends or is abandoned.
    private final class Source: Sendable {
        let file: OpenFile

        init(_ url: URL) throws {
            guard url.isFileURL else { throw Source.failed("is not named by a file URL") }
            do { file = try PosixFiles().openNamed(url.path) } catch {
                throw Source.failed("cannot be opened: \(error.reason)")
            }
        }

        deinit { PosixFiles().close(file) }

        static func failed(_ reason: String) -> TransportError {
            TransportError(.requestBodyFailed, phase: .send, message: "the body's file \(reason)")
        }
    }

    package func makeAsyncIterator() -> FileRange { self }

    package mutating func next() async throws -> Data? {
        try Task.checkCancellation()
        guard offset >= 0 else { throw Source.failed("has no byte \(offset)") }
        let source = try source ?? Source(file)
        self.source = source
        let wanted = Int(Swift.min(Int64(Self.pieceSize), end - offset))
        do {
            let piece = Data(try PosixFiles().readAll(source.file, at: Int(offset), count: wanted))
            offset += Int64(piece.count)
            return piece.isEmpty ? nil : piece
        } catch {
            throw Source.failed("cannot be read: \(error.reason)")
        }
    }
}
