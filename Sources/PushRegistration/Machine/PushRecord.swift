package import CoreNetKit

/// What is wanted of a server and what it has confirmed: one value, stored as a whole.
///
/// Pure: no clock, no store, no network. It is read field by field, so that no field that is missing, of another type
/// or of another version takes the others with it.
package protocol PushRecord: Sendable, Equatable {
    /// What is sent in requests of its own.
    associatedtype Part: Hashable, Sendable
    /// One request.
    associatedtype Request: Sendable
    /// What the server said to it.
    associatedtype Reply: Sendable

    /// The members to store; an empty object when there is nothing to keep.
    var json: Json { get }
    /// What of it keeps notifications away, as text; stored apart, so that it stands when the rest cannot be read.
    var optOut: String? { get }
    /// The parts that have a request to send, in the order in which they are sent.
    var openParts: [Part] { get }
    /// The open part that keeps notifications away: it goes before any other.
    var urgentPart: Part? { get }
    /// Counts the changes of a part; `nil` where each caller wants a request of its own.
    func revision(of part: Part) -> Int?
    /// Counts the parts whose requests are others than before.
    mutating func count(changesSince before: Self)
    /// Notes that the server did what a request asked for.
    mutating func confirm(_ request: Request, _ reply: Reply)
    /// Notes that a request failed: what can only fail again is dropped, everything else stays open.
    mutating func fail(_ request: Request, _ error: any Error)
    /// Whether nothing else can be sent either after this failure.
    static func isOutage(_ error: any Error) -> Bool
    /// Whether the server would refuse the same request again.
    static func isRefusal(_ error: any Error) -> Bool
    /// What the framework says about a failure.
    static func network(of error: any Error) -> NetworkError?
}

extension PushRecord {
    package var urgentPart: Part? { nil }
    package func revision(of part: Part) -> Int? { nil }
    package mutating func count(changesSince before: Self) {}
}

/// The store did not do what it should; the service makes its own error of it.
package struct PushStoreError: Error {
    package let cause: any Error

    package init(cause: any Error) { self.cause = cause }
}
