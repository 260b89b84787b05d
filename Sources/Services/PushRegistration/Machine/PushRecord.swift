package import CoreNetKit

/// What is wanted of a server and what it has confirmed: one value, stored as a whole.
///
/// Pure: no clock, no store, no network. It is read field by field, so that a field that is missing, of another type or
/// of another version does not affect the others.
package protocol PushRecord: Sendable, Equatable {
    /// A part that is sent in its own requests.
    associatedtype Part: Hashable, Sendable
    /// One request.
    associatedtype Request: Sendable
    /// The server's reply to it.
    associatedtype Reply: Sendable

    /// The members to store; an empty object if there is nothing to keep.
    var json: Json { get }
    /// The part that stops notifications, as text; stored separately, so that it remains if the rest cannot be read.
    var optOut: String? { get }
    /// The parts that have a request to send, in sending order.
    var openParts: [Part] { get }
    /// The pending part that stops notifications: it goes before any other.
    var urgentPart: Part? { get }
    /// Counts a part's changes; `nil` if each caller wants a request of its own.
    func revision(of part: Part) -> Int?
    /// Counts a change for each part whose request differs from before.
    mutating func count(changesSince before: Self)
    /// Notes that the server did what a request asked for.
    mutating func confirm(_ request: Request, _ reply: Reply)
    /// Notes that a request failed: what can never succeed is dropped, everything else stays pending.
    mutating func fail(_ request: Request, _ error: any Error)
    /// Whether this failure means that nothing else can be sent either.
    static func isOutage(_ error: any Error) -> Bool
    /// Whether the server would refuse the same request again.
    static func isRefusal(_ error: any Error) -> Bool
    /// The framework's description of a failure.
    static func network(of error: any Error) -> NetworkError?
}

extension PushRecord {
    package var urgentPart: Part? { nil }
    package func revision(of part: Part) -> Int? { nil }
    package mutating func count(changesSince before: Self) {}
}

/// The store failed; the service converts this to its own error.
package struct PushStoreError: Error {
    package let cause: any Error

    package init(cause: any Error) { self.cause = cause }
}
