import CoreNetKit
import PushRegistration

/// The desired subscription of this device, and the changes that the server has not confirmed yet.
struct KoreRecord: Sendable, Equatable {
    private(set) var token: String?
    private(set) var isSubscribed = false
    private(set) var unsubscribing: [String] = []
    /// Distinguishes the latest change of a token from earlier ones; empty if an older version stored it.
    private var revisions: [String: Int] = [:]

    mutating func subscribe(_ hex: String) {
        if let token, token != hex { unsubscribe(token) }
        if token != hex || isSubscribed { revisions[hex] = Self.newRevision }
        unsubscribing.removeAll { $0 == hex }
        token = hex
        isSubscribed = false
    }

    mutating func unsubscribe(_ hex: String) {
        if token == hex { forget(hex) }
        guard !unsubscribing.contains(hex) else { return }
        unsubscribing.append(hex)
        revisions[hex] = Self.newRevision
    }

    /// Random, because a counter would have to be kept forever, and unneeded records are removed from the store.
    private static var newRevision: Int { .random(in: 1...1 << 48) }

    mutating func unsubscribe() {
        if let token { unsubscribe(token) }
    }

    private mutating func forget(_ hex: String) {
        guard token == hex else { return }
        token = nil
        isSubscribed = false
        revisions[hex] = nil
    }
}

extension KoreRecord: PushRecord {
    enum Part: Hashable, Sendable {
        case add
        case remove(String)
    }

    typealias Request = (action: KoreAction, hex: String, revision: Int?)

    /// The new token first, so that the device stays reachable.
    var pendingParts: [Part] {
        (token != nil && !isSubscribed ? [.add] : []) + unsubscribing.map { .remove($0) }
    }

    func request(_ part: Part) -> Request? {
        switch part {
        case .add: isSubscribed ? nil : token.map { request(.subscribe, $0) }
        case .remove(let hex): unsubscribing.contains(hex) ? request(.unsubscribe, hex) : nil
        }
    }

    private func request(_ action: KoreAction, _ hex: String) -> Request { (action, hex, revisions[hex]) }

    mutating func confirm(_ request: Request, _ reply: KoreReply) {
        // Does not confirm a later change, which another instance may even have made and undone.
        guard revisions[request.hex] == request.revision else { return }
        switch request.action {
        case .subscribe: if token == request.hex { isSubscribed = true }
        case .unsubscribe:
            unsubscribing.removeAll { $0 == request.hex }
            if token != request.hex { revisions[request.hex] = nil }
        }
    }

    mutating func fail(_ request: Request, _ error: any Error) {
        // A subscription that the server never accepts is not sent at every launch; an unsubscription is kept.
        guard request.action == .subscribe, (error as? KorePushError)?.code == .badRequest,
            revisions[request.hex] == request.revision
        else { return }
        forget(request.hex)
    }

    /// A 404 may be a gateway's page, so it does not count as a refusal.
    static func isRefusal(_ error: any Error) -> Bool {
        guard let code = (error as? KorePushError)?.code else { return false }
        return code == .badRequest || code == .forbidden
    }

    static func network(of error: any Error) -> NetworkError? { (error as? KorePushError)?.network }

    /// Includes content that failed after a successful response head.
    static func blocksOtherRequests(_ error: any Error) -> Bool {
        guard let error = error as? KorePushError, error.status != nil else { return true }
        return error.network.map { $0.refusal == nil && $0.phase != nil } ?? false
    }

    var optOut: String? { unsubscribing.isEmpty ? nil : unsubscribing.joined(separator: " ") }

    init(stored: Json?, optOut: String?) {
        token = stored?["token"]?.string
        isSubscribed = stored?["isSubscribed"]?.flag ?? false
        unsubscribing = (stored?["leaving"]?.array ?? []).compactMap(\.string)
        revisions = (stored?["revisions"]?.object ?? [:]).compactMapValues(\.int)
        for hex in optOut?.split(separator: " ").map(String.init) ?? []
        where hex != token && !unsubscribing.contains(hex) {
            unsubscribing.append(hex)
        }
    }

    var json: Json {
        if self == KoreRecord(stored: nil, optOut: nil) { return [:] }
        return [
            "token": token.map { Json($0) } ?? .null, "isSubscribed": Json(isSubscribed),
            "leaving": Json(unsubscribing.map { Json($0) }),
            "revisions": revisions.isEmpty ? .null : Json(revisions.mapValues { Json($0) }),
        ]
    }
}

extension KoreRecord {
    /// Reads the record, or that of earlier versions, whose key has no port.
    static func load(_ key: String, or oldKey: String, from store: any KeyValueStore) throws -> KoreRecord {
        let record = try load(key, from: store)
        guard record == KoreRecord(stored: nil, optOut: nil), let old = try store.string(for: oldKey) else {
            return record
        }
        return KoreRecord(stored: try? Json(parsing: old), optOut: nil)
    }

    func save(_ key: String, replacing oldKey: String, in store: any KeyValueStore) throws {
        try save(key, to: store)
        if try store.string(for: oldKey) != nil { try store.set(nil, for: oldKey) }
    }
}
