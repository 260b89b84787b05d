package import CoreNetKitHTTP

/// How much of a request its server may have received: this alone decides whether it may be sent again.
///
/// A connection updates it while writing; it never goes back.
package enum RequestProgress: Sendable, Hashable, CaseIterable {
    /// No byte was sent.
    case nothing
    /// Bytes of the head were sent, perhaps all of them, but none of the content.
    case head
    /// Part of the content was sent.
    case part
    /// The whole request was sent.
    case all
    /// A byte of a response has arrived.
    case responded
    /// The server says that it did nothing with the request: a refused stream (RFC 9113, 8.7), or a 408 on a kept
    /// connection, whose server waited in vain for a request (RFC 9110, 15.5.9).
    case refused

    /// More of the request was sent; a response may arrive before the last of it.
    package mutating func advance(to progress: RequestProgress) {
        switch self {
        case .nothing, .head, .part, .all: self = progress
        case .responded, .refused: break
        }
    }

    /// What is known about the server if the connection is lost now.
    package var evidence: Resending.Evidence {
        switch self {
        case .nothing, .refused: .unseen
        case .head, .part, .all, .responded: .perhapsSeen
        }
    }
}
