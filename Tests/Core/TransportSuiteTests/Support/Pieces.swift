import TestSupport

/// Content in pieces of growing size, as an asynchronous sequence.
struct Pieces: AsyncSequence, Sendable {
    struct Iterator: AsyncIteratorProtocol {
        var rest: Data
        var size = 1

        mutating func next() async throws -> Data? {
            guard !rest.isEmpty else { return nil }
            await Task.yield()
            defer {
                rest = rest.dropFirst(size)
                size = size > 40_000 ? 300_000 : size * 7
            }
            return Data(rest.prefix(size))
        }
    }

    private let content: Data

    init(_ content: Data) { self.content = content }

    func makeAsyncIterator() -> Iterator { Iterator(rest: content) }
}
