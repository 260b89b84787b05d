import CoreNetKitFleet
import TestSupport

extension SharedStore {
    func record(at key: SharedKey) async throws -> CredentialRecord? {
        try await read(key).map { try CredentialRecord($0.bytes, openedBy: PlainSealing.plain, at: key) }
    }
}

extension LocalStore {
    static func onManualClock() -> (clock: ManualClock, store: LocalStore) {
        let clock = ManualClock()
        return (clock, LocalStore(clock: clock))
    }
}

/// A store that can lose what it knows, as a server does that comes back without its data.
final class ForgetfulStore: ForwardingStore {
    private let current: Locked<LocalStore>
    private let clock: ManualClock
    private let readers = Locked<[Signal]>([])
    /// How often a reader of changes has asked for the next one: what came before has been read then.
    let asked = Signal()

    init(_ clock: ManualClock = ManualClock()) { (self.clock, current) = (clock, Locked(LocalStore(clock: clock))) }

    func forget() { current.withLock { $0 = LocalStore(clock: clock) } }

    /// Connections were lost, and are there again.
    func tell() { for reader in readers.withLock({ $0 }) { reader.signal() } }

    /// Comes back empty.
    func restart() {
        forget()
        tell()
    }

    var store: any SharedStore { current.withLock { $0 } }

    func changes(of kind: String) -> AsyncStream<SharedChange> {
        // One of its own: who leaves while it waits ends nobody else's wait.
        let (told, count) = (Signal(), Locked(0))
        readers.withLock { $0.append(told) }
        return AsyncStream { [asked] in
            let number = count.next()
            asked.signal()
            if number > 1 { await told.wait(number - 1) }
            return Task.isCancelled ? nil : .all
        }
    }
}
