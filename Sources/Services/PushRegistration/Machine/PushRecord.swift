package import CoreNetKit

/// The desired state of a registration and the state that the server has confirmed: one value, stored as a whole.
///
/// It uses no clock, no store and no network. It is parsed field by field, so that a field that is missing, of another type
/// or of another version does not affect the others.
package protocol PushRecord: Sendable, Equatable {
    /// A part of the record that is sent in separate requests.
    associatedtype Part: Hashable, Sendable
    /// A request.
    associatedtype Request: Sendable
    /// The server's reply to a request.
    associatedtype Reply: Sendable

    /// The members to store; an empty object if nothing needs to be kept.
    var json: Json { get }
    /// The opt-out of notifications, as text; stored separately, so that it survives if the rest cannot be read.
    var optOut: String? { get }
    /// The parts with a request to send, in sending order.
    var openParts: [Part] { get }
    /// The pending part that stops notifications; it is sent before any other.
    var urgentPart: Part? { get }
    /// The number of changes of a part; `nil` if each call needs a request of its own.
    func revision(of part: Part) -> Int?
    /// Counts a change for each part whose request has changed.
    mutating func count(changesSince before: Self)
    /// Notes that the server has executed a request.
    mutating func confirm(_ request: Request, _ reply: Reply)
    /// Notes that a request failed: a change that can never succeed is dropped, others stay pending.
    mutating func fail(_ request: Request, _ error: any Error)
    /// Whether this failure means that no other request can be sent either.
    static func isOutage(_ error: any Error) -> Bool
    /// Whether the server would refuse the same request again.
    static func isRefusal(_ error: any Error) -> Bool
    /// The underlying network error of a failure.
    static func network(of error: any Error) -> NetworkError?
}

extension PushRecord {
    package var urgentPart: Part? { nil }
    package func revision(of part: Part) -> Int? { nil }
    package mutating func count(changesSince before: Self) {}
}

/// A failure of the store; the service converts it to its own error type.
package struct PushStoreError: Error {
    package let cause: any Error

    package init(cause: any Error) { self.cause = cause }
}
