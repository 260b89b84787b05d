import CoreNetKitSystem

/// The one outbox that this process has on a folder; the next one waits until the engine of the last one has let go.
///
/// An engine may outlast its outbox: by what it had begun, or by values of the outbox that an app keeps.
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
    /// The end of the one before; `nil` where there was none.
    let predecessor: Task<Void, Never>?

    /// Takes a folder, or `nil` where another outbox has it.
    init?(_ path: String) {
        let before = Self.places.withLock { $0.holders.updateValue(.open, forKey: path) }
        if case .open? = before { return nil }
        self.path = path
        if case .leaving(_, let task)? = before { predecessor = task } else { predecessor = nil }
    }

    /// Ends the engine of an outbox that is no more.
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
