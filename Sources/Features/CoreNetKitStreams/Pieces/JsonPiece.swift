package import CoreNetKitEssentials

/// The bytes of one JSON value in content that has many of them.
package struct JsonPiece: Sendable {
    /// The text, without white space around it; a slice of the chunk where it could be one.
    package let bytes: Data
    /// Its place, counted from 0.
    package let index: Int
    /// Where it begins in the content.
    package let offset: Int64
    /// Why it cannot be whole, where the format tells.
    package let fault: StreamError?
    /// Whether the content ended where the piece did: what is not JSON then was cut.
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
/// Feed a chunk, ask for pieces until there is none, feed the next; at the end of the content ask for the last one.
package protocol JsonPieceParser: Sendable {
    /// Takes the next bytes.
    mutating func feed(_ chunk: Data)

    /// Gives the next piece that is complete, `nil` when more bytes are needed.
    mutating func next() throws(StreamError) -> JsonPiece?

    /// Takes note that no more bytes come, and gives what they left.
    mutating func finish() throws(StreamError) -> JsonPiece?

    /// Whether no other piece can follow, for the format has an end and it has come.
    var isOver: Bool { get }

    /// What stood around the pieces, once the content has ended.
    var rest: Data? { get }
}

extension JsonPieceParser {
    package var isOver: Bool { false }
    package var rest: Data? { nil }

    /// Takes the next bytes, and tells whether no piece ends in them.
    mutating func hasNoPiece(in chunk: Data) -> Bool {
        feed(chunk)
        do throws(StreamError) { return try next() == nil } catch { return false }
    }
}
