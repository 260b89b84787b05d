package import CoreNetKit

/// The desired state of a registration and the state that the server has confirmed: one value, stored as a whole.
///
/// It uses no clock, no store and no network. It is parsed field by field, so that a field that is missing, of another type
/// or of another version does not affect the others.
package protocol PushRecord: Sendable, Equatable {
    /// A part of the record that is sent in separate requests.
    associatedtype Part: Hashable, Sendable
    associatedtype Request: Sendable
    associatedtype Reply: Sendable

    /// Parses the readable members; an opt-out applies even if the rest cannot be read.
    init(stored: Json?, optOut: String?)

    /// The members to store; an empty object if nothing needs to be kept.
    var json: Json { get }
    /// The opt-out of notifications, as text; stored separately, so that it survives if the rest cannot be read.
    var optOut: String? { get }
    /// The parts with a request to send, in sending order.
    var pendingParts: [Part] { get }
    /// The pending part that stops notifications; it is sent before any other.
    var urgentPart: Part? { get }
    /// The number of changes of a part; `nil` if each call needs a request of its own.
    func revision(of part: Part) -> Int?
    /// Counts a change for each part whose request has changed.
    mutating func bumpRevisions(since before: Self)
    mutating func confirm(_ request: Request, _ reply: Reply)
    /// Notes that a request failed: a change that can never succeed is dropped, others stay pending.
    mutating func fail(_ request: Request, _ error: any Error)
    /// Whether this failure means that no other request can be sent either.
    static func blocksOtherRequests(_ error: any Error) -> Bool
    /// Whether the server would refuse the same request again.
    static func isRefusal(_ error: any Error) -> Bool
    static func network(of error: any Error) -> NetworkError?
}

extension PushRecord {
    package var urgentPart: Part? { nil }
    package func revision(of part: Part) -> Int? { nil }
    package mutating func bumpRevisions(since before: Self) {}
}

/// A failure of the store; the service converts it to its own error type.
package struct PushStoreError: Error {
    package let cause: any Error
}

// The record is stored under two keys: one of its own, and one for its opt-out of notifications.
extension PushRecord {
    package static func load(_ key: String, from store: any KeyValueStore) throws -> Self {
        Self(stored: try stored(key, in: store), optOut: try store.string(for: optOutKey(key)))
    }

    /// Writes the opt-out first and removes it last: if the process ends in between, it is kept rather than lost.
    package func save(_ key: String, to store: any KeyValueStore) throws {
        let optOutKey = Self.optOutKey(key)
        let before = try store.string(for: optOutKey)
        if let optOut, optOut != before { try store.set(optOut, for: optOutKey) }
        let json = json
        if json.members.isEmpty {
            try store.set(nil, for: key)
        } else {
            // Unknown members belong to a newer version, and stay.
            var whole = try Self.stored(key, in: store) ?? [:]
            for (name, value) in json.members { whole[name] = value.isNull ? Json?.none : value }
            try store.set(whole.text(sortedKeys: true), for: key)
        }
        if optOut == nil, before != nil { try store.set(nil, for: optOutKey) }
    }

    private static func optOutKey(_ key: String) -> String { key + ".optOut" }

    private static func stored(_ key: String, in store: any KeyValueStore) throws -> Json? {
        let json = try store.string(for: key).flatMap { try? Json(parsing: $0) }
        return json?.object == nil ? nil : json
    }
}
