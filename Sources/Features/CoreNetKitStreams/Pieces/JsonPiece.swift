package import CoreNetKitEssentials

/// The bytes of one of many JSON values in the content.
package struct JsonPiece: Sendable {
    /// The text, without white space around it; a slice of the chunk if possible.
    package let bytes: Data
    /// Its index, from 0.
    package let index: Int
    /// The offset of its first byte in the content.
    package let offset: Int64
    /// Why it cannot be complete, if the format shows that.
    package let fault: StreamError?
    /// Whether the content ended with the piece: if it is not JSON, it was truncated.
    package let isLast: Bool

    package init(_ bytes: Data, index: Int, offset: Int64, fault: StreamError? = nil, isLast: Bool = false) {
        self.bytes = bytes
        self.index = index
        self.offset = offset
        self.fault = fault
        self.isLast = isLast
    }
}

/// Finds JSON values in chunks of any size: no tasks, no clock, no connection.
///
/// Feed a chunk, take pieces until there is none, feed the next; at the end of the content, take the last one.
package protocol JsonPieceParser: Sendable {
    /// Adds the next bytes.
    mutating func feed(_ chunk: Data)

    /// Returns the next complete piece; `nil` when more bytes are needed.
    mutating func next() throws(StreamError) -> JsonPiece?

    /// Ends the input, and returns the last piece if there is one.
    mutating func finish() throws(StreamError) -> JsonPiece?

    /// Whether no piece can follow because the end that the format defines has been read.
    var isOver: Bool { get }

    /// The text around the pieces, once the content has ended.
    var rest: Data? { get }
}

extension JsonPieceParser {
    package var isOver: Bool { false }
    package var rest: Data? { nil }

    /// Adds the next bytes; returns whether no piece ends in them.
    mutating func hasNoPiece(in chunk: Data) -> Bool {
        feed(chunk)
        do throws(StreamError) { return try next() == nil } catch { return false }
    }
}
