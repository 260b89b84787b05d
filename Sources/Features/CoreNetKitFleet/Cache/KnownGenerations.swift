import CoreNetKitSystem

/// The invalidation generations that this process knows: values as they were read, until the store reports a change.
final class KnownGenerations: Sendable {
    private struct State: Sendable {
        var isListening = false
        var numbers: [Int: UInt64] = [:]
        /// Slots that have changed and whose new number has not been read yet.
        var changed: Set<Int> = []
        var slots: [SharedKey: Int] = [:]
        /// Counts the reported changes of each slot, so that a value read before a change is not learned.
        var reported: [Int: UInt64] = [:]
        /// Counts the times when any generation may have changed.
        var resets: UInt64 = 0

        /// Replaces a number by one that no version ever has.
        mutating func change(_ slot: Int) {
            numbers[slot] = .random(in: (1 << 63) ... .max)
            changed.insert(slot)
        }

        func numbers(at slots: [Int]) -> [UInt64]? {
            guard isListening else { return nil }
            let known = slots.compactMap { numbers[$0] }
            return known.count == slots.count ? known : nil
        }
    }

    /// The state of the change reports when a read began.
    typealias Snapshot = (reported: UInt64, resets: UInt64)

    private let state = Locked(State())
    private let store: any SharedStore
    private let kind: String
    private let reader = Locked<Task<Void, Never>?>(nil)
    private let read = Locked<(@Sendable (Int) async -> Void)?>(nil)

    init(_ store: any SharedStore, kind: String) { (self.store, self.kind) = (store, kind) }

    deinit { reader.withLock { $0 }?.cancel() }

    /// Sets the closure that reads a changed generation in advance, so that no later call waits for it.
    func onChange(_ read: @escaping @Sendable (Int) async -> Void) { self.read.withLock { $0 = read } }

    func begin(_ key: SharedKey, _ slot: Int) -> Snapshot {
        listen()
        return state.withLock { state in
            state.slots[key] = slot
            return (state.reported[slot, default: 0], state.resets)
        }
    }

    /// Learns the number of a generation that this process has read or changed.
    func learn(_ number: UInt64, _ slot: Int, _ snapshot: Snapshot) {
        state.withLock { state in
            guard state.isListening, state.resets == snapshot.resets else { return }
            // Versions grow: this process's own writes are reported as well.
            if state.reported[slot, default: 0] == snapshot.reported || number > state.numbers[slot] ?? .max {
                state.numbers[slot] = number
                state.changed.remove(slot)
            }
        }
    }

    /// The numbers at some slots as they were read, if none of them has changed since.
    func current(at slots: [Int]) -> [UInt64]? {
        state.withLock { $0.changed.isDisjoint(with: slots) ? $0.numbers(at: slots) : nil }
    }

    /// The numbers at some slots, if all are known; a changed one has a number that was never read.
    func numbers(at slots: [Int]) -> [UInt64]? { state.withLock { $0.numbers(at: slots) } }

    private func listen() {
        reader.withLock { reader in
            guard reader == nil else { return }
            let changes = store.changes(of: kind)
            reader = Task.detached { [weak self] in
                for await change in changes {
                    guard let self else { return }
                    guard let slot = self.handle(change), let read = self.read.value else { continue }
                    Task { await read(slot) }
                }
                self?.state.withLock { $0.isListening = false }
            }
        }
    }

    /// Handles a change; returns the slot if a single one changed.
    private func handle(_ change: SharedChange) -> Int? {
        state.withLock { state in
            switch change {
            case .all:
                state.isListening = true
                state.resets += 1
                // Known numbers become unknown: entries stored under them are looked up again or confirmed.
                for slot in state.numbers.keys { state.change(slot) }
                return nil
            case .key(let key):
                guard let slot = state.slots[key] else { return nil }
                state.reported[slot, default: 0] += 1
                state.change(slot)
                return slot
            }
        }
    }
}
