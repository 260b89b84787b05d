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
    var pendingParts: [Part] { get }
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

/// Reads and writes a record under two keys: the record, and its opt-out of notifications.
package struct RecordStore<Record: PushRecord>: Sendable {
    package let key: String
    private let read: @Sendable (_ stored: Json?, _ optOut: String?) -> Record

    package init(key: String, read: @escaping @Sendable (_ stored: Json?, _ optOut: String?) -> Record) {
        self.key = key
        self.read = read
    }

    private var optOutKey: String { key + ".optOut" }

    package func load(_ store: any KeyValueStore) throws -> Record {
        read(try stored(store), try store.string(for: optOutKey))
    }

    /// Writes a record.
    ///
    /// The opt-out is written first and removed last: if the process ends in between, it is kept rather than lost.
    package func save(_ record: Record, _ store: any KeyValueStore) throws {
        let before = try store.string(for: optOutKey)
        if let optOut = record.optOut, optOut != before { try store.set(optOut, for: optOutKey) }
        let json = record.json
        if json.members.isEmpty {
            try store.set(nil, for: key)
        } else {
            // Unknown members belong to a newer version, and stay.
            var whole = try stored(store) ?? [:]
            for (name, value) in json.members { whole[name] = value.isNull ? Json?.none : value }
            try store.set(whole.text(sortedKeys: true), for: key)
        }
        if record.optOut == nil, before != nil { try store.set(nil, for: optOutKey) }
    }

    private func stored(_ store: any KeyValueStore) throws -> Json? {
        let json = try store.string(for: key).flatMap { try? Json(parsing: $0) }
        return json?.object == nil ? nil : json
    }
}
