import CoreNetKitEssentials
import CoreNetKitHTTP
import CoreNetKitSystem

/// A part of a file as the body of a request: read while it is sent, on a thread of its own.
struct FileSlice: AsyncSequence, Sendable {
    typealias Element = Data
    typealias Failure = any Error

    let path: String
    let range: Range<Int>
    let files: any FileOperations

    struct Iterator: AsyncIteratorProtocol {
        let slice: FileSlice
        let worker = FileWorker("upload")
        var place: Int

        mutating func next() async throws -> Data? {
            let (slice, start) = (slice, place)
            guard start < slice.range.upperBound else { return nil }
            let bytes = try await worker.run { () throws(FileError) in
                let file = try slice.files.open(slice.path, .read)
                defer { slice.files.close(file) }
                return try slice.files.readAll(
                    file,
                    at: start,
                    count: Swift.min(1 << 18, slice.range.upperBound - start)
                )
            }
            place += bytes.count
            // A file that has become shorter: the transport notices that the length is not what was promised.
            return bytes.isEmpty ? nil : Data(bytes)
        }
    }

    func makeAsyncIterator() -> Iterator { Iterator(slice: self, place: range.lowerBound) }

    /// The body of a request.
    var body: RequestBody {
        range.isEmpty ? .bytes(Data()) : .stream(length: Int64(range.count), isReplayable: true) { self }
    }
}
