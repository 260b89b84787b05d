import CoreNetKitSystem

/// The one outbox of this process on a folder; the next one waits until the engine of the previous one has released it.
///
/// An engine may outlive its outbox: because of running work, or because the app keeps values of the outbox.
final class FolderClaim: Sendable {
    private enum Holder: Sendable {
        case open
        case leaving(id: Int, Task<Void, Never>)
    }

    private struct Claims: Sendable {
        var holders: [String: Holder] = [:]
        var lastID = 0
    }

    private static let claims = Locked(Claims())

    private let path: String
    /// The shutdown of the previous outbox; `nil` if there was none.
    let predecessor: Task<Void, Never>?

    /// Claims a folder; `nil` if another outbox has it.
    init?(_ path: String) {
        let before = Self.claims.withLock { $0.holders.updateValue(.open, forKey: path) }
        if case .open? = before { return nil }
        self.path = path
        if case .leaving(_, let task)? = before { predecessor = task } else { predecessor = nil }
    }

    /// Ends the engine of an outbox that was released.
    func leave(_ engine: OutboxEngine) {
        Self.claims.withLock { [path, predecessor] claims in
            claims.lastID += 1
            let id = claims.lastID
            let end = Task {
                await predecessor?.value
                await engine.close()
                Self.claims.withLock { claims in
                    if case .leaving(id, _)? = claims.holders[path] { claims.holders[path] = nil }
                }
            }
            claims.holders[path] = .leaving(id: id, end)
        }
    }
}
