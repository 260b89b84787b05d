/// Content in pieces of growing size, as an asynchronous sequence.
package struct Pieces: AsyncSequence, Sendable {
    package struct Iterator: AsyncIteratorProtocol {
        fileprivate var rest: Data
        private var size = 1

        fileprivate init(rest: Data) { self.rest = rest }

        package mutating func next() async throws -> Data? {
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

    package init(_ content: Data) { self.content = content }

    package func makeAsyncIterator() -> Iterator { Iterator(rest: content) }
}
