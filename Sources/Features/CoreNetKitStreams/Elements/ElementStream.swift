import CoreNetKitChain
public import CoreNetKitEssentials
public import CoreNetKitJson

/// How a response of elements is read.
public struct ElementOptions: Sendable, Hashable {
    /// The maximum number of bytes of one element, and of the text around an array.
    public var limit = 8 << 20
    /// The longest silence.
    public var idle: Duration? = .seconds(300)

    /// Creates the options: 8 MiB, 300 s.
    public init(limit: Int = 8 << 20, idle: Duration? = .seconds(300)) {
        (self.limit, self.idle) = (max(1, limit), idle)
    }
}

/// The elements of a response, one by one, no faster than they are consumed.
///
/// Memory is one element and one chunk, whatever the size of the response. The transfer ends with ``close()``, when the
/// stream and its iterators are released, or when the reading task is cancelled. There is one reader at a time; a second
/// iterator continues where the first one stopped.
public struct ElementStream<Model: Sendable>: AsyncSequence, Sendable {
    /// Reads the elements in order.
    public struct Iterator: AsyncIteratorProtocol {
        let stream: ElementStream

        /// Waits for the next element.
        ///
        /// - Throws: ``/CoreNetKit/NetworkError``: `connectionLost` when the content ended inside an element,
        ///   `decodingFailed` with the element's number and offset if it does not match the model, `responseTooLarge`
        ///   over the limit; `CancellationError`.
        public mutating func next() async throws -> Model? {
            // Most elements are already buffered: without a wait, no frame for a suspended call is needed.
            if let model = try stream.ready() { return model }
            return try await stream.next()
        }
    }

    let source: ElementSource
    let read: @Sendable (Data) throws -> Model
    var skipsDamaged = false

    /// Starts or continues reading.
    public func makeAsyncIterator() -> Iterator { Iterator(stream: self) }

    /// Ends the transfer, even if other code still holds the stream; a waiting reader gets the end.
    public func close() { source.close() }

    /// Skips elements that do not match the model, and counts them, instead of failing.
    public func skippingDamaged() -> ElementStream {
        var copy = self
        copy.skipsDamaged = true
        return copy
    }

    /// The elements as their bytes.
    public var raw: RawElements { .init(source: source) }

    /// How many elements were skipped.
    public var skipped: Int { source.skipped }

    /// The text around the array, which is left empty; `nil` before the end, and if there is nothing around the elements.
    public var rest: Json? { source.rest.map { Json(undecoded: $0) } }

    private func ready() throws -> Model? {
        while let piece = try source.ready() { if let model = try take(piece) { return model } }
        return nil
    }

    private func next() async throws -> Model? {
        while let piece = try await source.next() {
            if let model = try take(piece) { return model }
        }
        return nil
    }

    /// Decodes an element; `nil` if it is skipped.
    private func take(_ piece: JsonPiece) throws -> Model? {
        do {
            if let fault = piece.fault { throw fault }
            return try read(piece.bytes)
        } catch {
            // A truncated element is never a damaged one: something is missing.
            if skipsDamaged, !(piece.isLast && Self.isCut(error)) {
                source.noteSkipped()
                return nil
            }
            defer { source.close() }
            throw failure(error, piece)
        }
    }

    private func failure(_ error: any Error, _ piece: JsonPiece) -> NetworkError {
        let (node, response) = (source.node, source.response)
        if let fault = error as? StreamError { return .stream(fault, node: node, response: response) }
        if piece.isLast, Self.isCut(error) {
            let cut = StreamError(.cut, "the content ended in an element", index: piece.index, offset: piece.offset)
            return .stream(cut, node: node, response: response)
        }
        let place = "element \(piece.index) at byte \(piece.offset)"
        return .piece(error, as: Model.self, place: place, node: node, response: response)
    }

    private static func isCut(_ error: any Error) -> Bool {
        if let error = error as? StreamError { return error.code == .cut }
        return error is JsonError
    }
}

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

        /// Waits for the next element; throws as ``ElementStream/Iterator/next()``, but not for elements that are not JSON.
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
