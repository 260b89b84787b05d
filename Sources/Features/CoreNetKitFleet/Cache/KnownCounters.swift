import CoreNetKitSharedStore
import CoreNetKitSystem

/// Counters of marks as this process knows them: what was read, until the store tells that it has changed.
final class KnownCounters: Sendable {
    private struct State: Sendable {
        /// Whether changes are heard of.
        var isHearing = false
        var numbers: [Int: UInt64] = [:]
        /// Those that are another number by now, and nobody has asked for it.
        var changed: Set<Int> = []
        var slots: [SharedKey: Int] = [:]
        /// Counts what was heard, so that nothing is learned that was read before a change.
        var heard: [Int: UInt64] = [:]
        /// Counts the times after which anything may be another one.
        var losses: UInt64 = 0

        /// A number that no version is.
        mutating func change(_ slot: Int) {
            numbers[slot] = .random(in: (1 << 63) ... .max)
            changed.insert(slot)
        }
    }

    /// What had been heard when somebody began to read.
    struct Seen: Sendable {
        fileprivate let heard: UInt64
        fileprivate let losses: UInt64
    }

    private let state = Locked(State())
    private let store: any SharedStore
    private let kind: String
    private let reader = Locked<Task<Void, Never>?>(nil)
    private let read = Locked<(@Sendable (Int) async -> Void)?>(nil)

    init(_ store: any SharedStore, kind: String) { (self.store, self.kind) = (store, kind) }

    deinit { reader.withLock { $0 }?.cancel() }

    /// What asks for the number at a slot that has changed, so that nobody waits for it later.
    func onChange(_ read: @escaping @Sendable (Int) async -> Void) { self.read.withLock { $0 = read } }

    /// Somebody begins to read, or to change, a counter.
    func begin(_ key: SharedKey, _ slot: Int) -> Seen {
        listen()
        return state.withLock { state in
            state.slots[key] = slot
            return Seen(heard: state.heard[slot, default: 0], losses: state.losses)
        }
    }

    /// A counter was read, or changed by this process.
    func learn(_ number: UInt64, _ slot: Int, _ seen: Seen) {
        state.withLock { state in
            guard state.isHearing, state.losses == seen.losses else { return }
            // Versions grow: what this process has written itself is heard of, too.
            if state.heard[slot, default: 0] == seen.heard || number > state.numbers[slot] ?? .max {
                state.numbers[slot] = number
                state.changed.remove(slot)
            }
        }
    }

    /// The numbers at some slots as they were read, where none of them has changed since.
    func current(at slots: [Int]) -> [UInt64]? {
        state.withLock { state in
            guard state.isHearing, state.changed.isDisjoint(with: slots) else { return nil }
            let numbers = slots.compactMap { state.numbers[$0] }
            return numbers.count == slots.count ? numbers : nil
        }
    }

    /// The numbers at some slots, where all are known; one that has changed is none that was ever read.
    func numbers(at slots: [Int]) -> [UInt64]? {
        state.withLock { state in
            guard state.isHearing else { return nil }
            var numbers: [UInt64] = []
            for slot in slots {
                guard let number = state.numbers[slot] else { return nil }
                numbers.append(number)
            }
            return numbers
        }
    }

    private func listen() {
        reader.withLock { reader in
            guard reader == nil else { return }
            let changes = store.changes(of: kind)
            reader = Task.detached { [weak self] in
                for await change in changes {
                    guard let self else { return }
                    guard let slot = self.hear(change), let read = self.read.withLock({ $0 }) else { continue }
                    Task { await read(slot) }
                }
                self?.state.withLock { $0.isHearing = false }
            }
        }
    }

    /// What has changed, where it is one.
    private func hear(_ change: SharedChange) -> Int? {
        state.withLock { state in
            switch change {
            case .all:
                state.isHearing = true
                state.losses += 1
                // Known ones are not: what was kept under them is looked up again, or confirmed.
                for slot in state.numbers.keys { state.change(slot) }
                return nil
            case .key(let key):
                guard let slot = state.slots[key] else { return nil }
                state.heard[slot, default: 0] += 1
                state.change(slot)
                return slot
            }
        }
    }
}
