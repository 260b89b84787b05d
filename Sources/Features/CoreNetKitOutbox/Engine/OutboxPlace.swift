import CoreNetKitSystem

/// The one outbox of this process on a folder; the next one waits until the engine of the previous one has released it.
///
/// An engine may outlive its outbox: because of running work, or because the app keeps values of the outbox.
final class OutboxPlace: Sendable {
    private enum Holder: Sendable {
        case open
        case leaving(id: Int, Task<Void, Never>)
    }

    private struct Places: Sendable {
        var holders: [String: Holder] = [:]
        var lastID = 0
    }

    private static let places = Locked(Places())

    private let path: String
    /// The shutdown of the previous outbox; `nil` if there was none.
    let predecessor: Task<Void, Never>?

    /// Claims a folder; `nil` if another outbox has it.
    init?(_ path: String) {
        let before = Self.places.withLock { $0.holders.updateValue(.open, forKey: path) }
        if case .open? = before { return nil }
        self.path = path
        if case .leaving(_, let task)? = before { predecessor = task } else { predecessor = nil }
    }

    /// Ends the engine of an outbox that was released.
    func leave(_ engine: OutboxEngine) {
        Self.places.withLock { [path, predecessor] places in
            places.lastID += 1
            let id = places.lastID
            let end = Task {
                await predecessor?.value
                await engine.close()
                Self.places.withLock { places in
                    if case .leaving(id, _)? = places.holders[path] { places.holders[path] = nil }
                }
            }
            places.holders[path] = .leaving(id: id, end)
        }
    }
}
