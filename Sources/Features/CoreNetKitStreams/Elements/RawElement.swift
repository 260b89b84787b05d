public import CoreNetKitEssentials

/// One element of a response as bytes: for readers that need damaged ones, too.
public struct RawElement: Sendable, Hashable {
    /// The text, without white space around it; it need not be JSON.
    public let bytes: Data
    /// Its index, from 0.
    public let index: Int
    /// The offset of its first byte in the content.
    public let offset: Int64
    /// Why it cannot be complete, if the format shows that.
    public let fault: StreamError?

    init(_ piece: JsonPiece) {
        // A copy: a slice would keep its whole chunk in memory.
        bytes = piece.bytes.withUnsafeBytes { Data($0) }
        (index, offset, fault) = (piece.index, piece.offset, piece.fault)
    }
}

/// The elements of a response as their bytes.
public struct RawElements: AsyncSequence, Sendable {
    /// Reads the elements in order.
    public struct Iterator: AsyncIteratorProtocol {
        let source: ElementSource

        /// Waits for the next element.
        ///
        /// - Returns: The element, `nil` at the end of the content.
        /// - Throws: As ``ElementStream/Iterator/next()``, but not for elements that are not JSON.
        public mutating func next() async throws -> RawElement? {
            if let piece = try source.ready() { return RawElement(piece) }
            return try await source.next().map { RawElement($0) }
        }
    }

    let source: ElementSource

    /// Ends the transfer, even if other code still holds the stream; a waiting reader gets the end.
    public func close() { source.close() }

    /// Starts or continues reading.
    public func makeAsyncIterator() -> Iterator { Iterator(source: source) }
}
