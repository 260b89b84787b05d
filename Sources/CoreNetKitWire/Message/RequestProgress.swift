package import CoreNetKitHTTP

/// How much of a request its server may have: the one value that decides whether the request may be sent again.
///
/// A connection keeps it while it writes; it never goes back.
package enum RequestProgress: Sendable, Hashable, CaseIterable {
    /// No byte has left.
    case nothing
    /// Bytes of the head have left, perhaps all of them, and none of the content.
    case head
    /// A part of the content has left.
    case part
    /// The whole request has left.
    case all
    /// A byte of a response has come.
    case responded
    /// The server says that it has done nothing with the request: a refused stream (RFC 9113, 8.7), or a 408 on a kept
    /// connection, whose server has waited for a request in vain (RFC 9110, 15.5.9).
    case refused

    /// More of the request has left; a response may be there before the last of it.
    package mutating func advance(to progress: RequestProgress) {
        switch self {
        case .nothing, .head, .part, .all: self = progress
        case .responded, .refused: break
        }
    }

    /// What is known of the server when the connection is lost now.
    package var evidence: Resending.Evidence {
        switch self {
        case .nothing, .refused: .unseen
        case .head, .part, .all, .responded: .perhapsSeen
        }
    }
}
