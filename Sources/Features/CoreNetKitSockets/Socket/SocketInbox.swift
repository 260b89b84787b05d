import CoreNetKitChain
import CoreNetKitSystem

/// The messages that are not read yet, and the end after them.
final class SocketInbox: Sendable {
    private struct State: Sendable {
        var messages = Fifo<SocketMessage>()
        var readers = WaitQueue<Waiter<SocketMessage?>>()
        var room: CheckedContinuation<Void, Never>?
        /// Whether the next wait for room returns at once.
        var isWoken = false
        var end: Result<Void, any Error>?
        /// The number of readers; `nil` before the first one.
        var readerCount: Int?
        /// Whether the reader has taken a message and has not asked for another one since.
        var isTaken = false
        /// Waits until everything has been read.
        var settling: Waiter<Void>?
    }

    private let capacity: Int
    private let state = Locked(State())

    init(capacity: Int) { self.capacity = max(1, capacity) }

    /// Adds a message; `false` if there is no room for another one.
    func add(_ message: SocketMessage) -> Bool {
        while true {
            // One step: a reader that arrives between the check for readers and the append would wait beside its message.
            let (reader, hasRoom) = state.withLock { state -> (Waiter<SocketMessage?>?, Bool) in
                if state.messages.isEmpty, let reader = state.readers.popFirst() {
                    // Set before the reader resumes, because it may return at once.
                    state.isTaken = true
                    return (reader, true)
                }
                if state.end == nil { state.messages.append(message) }
                return (nil, state.end != nil || state.messages.count < capacity)
            }
            guard let reader else { return hasRoom }
            if reader.resume(.success(message)) { return true }
        }
    }

    /// Returns when there is room for another message, or ``wake()`` was called.
    func waitForRoom() async {
        await withCheckedContinuation { continuation in
            let hasRoom = state.withLock { state in
                defer { state.isWoken = false }
                guard state.end == nil, state.messages.count >= capacity, !state.isWoken else { return true }
                state.room = continuation
                return false
            }
            if hasRoom { continuation.resume() }
        }
    }

    /// Ends the wait for room, now or when it begins, because something else has happened.
    func wake() {
        let room = state.withLock { state in
            state.isWoken = state.room == nil
            return state.room.take()
        }
        room?.resume()
    }

    /// The next message; `nil` after a normal end, on every call the error of another one.
    func next() async throws -> SocketMessage? {
        while true {
            if let message = takeMessage() { return message }
            let waiter = Waiter<SocketMessage?>()
            let (isEmpty, end, settling) = state.withLock { state -> (Bool, Result<Void, any Error>?, Waiter<Void>?) in
                // A message may have arrived since the check.
                guard state.messages.isEmpty else { return (false, nil, nil) }
                state.isTaken = false
                if state.end == nil { state.readers.append(waiter) }
                return (true, state.end, state.settling.take())
            }
            guard isEmpty else { continue }
            settling?.resume(.success(()))
            if let end { return try end.map { nil }.get() }
            do {
                return try await waiter.value()
            } catch {
                state.withLock { _ = $0.readers.remove(waiter) }
                throw error
            }
        }
    }

    /// A message that is already there: the fast path of most reads.
    private func takeMessage() -> SocketMessage? {
        let (message, room) = state.withLock { state -> (SocketMessage?, CheckedContinuation<Void, Never>?) in
            guard let message = state.messages.popFirst() else { return (nil, nil) }
            state.isTaken = true
            return (message, state.messages.count < capacity ? state.room.take() : nil)
        }
        room?.resume()
        return message
    }

    func beginReading() { state.withLock { $0.readerCount = ($0.readerCount ?? 0) + 1 } }

    func endReading() {
        let settling = state.withLock { state -> Waiter<Void>? in
            state.readerCount = (state.readerCount ?? 1) - 1
            guard state.readerCount == 0 else { return nil }
            state.isTaken = false
            return state.settling.take()
        }
        settling?.resume(.success(()))
    }

    /// Waits until all messages were read and the reader asks for more, which it may never do: at most until the limit.
    func settle(until limit: Duration, on clock: CallClock) async throws {
        let waiter = Waiter<Void>()
        let isSettled = state.withLock { state in
            // A reader that has left is not waited for.
            guard state.end == nil, state.readerCount != 0, !state.messages.isEmpty || state.isTaken else {
                return true
            }
            state.settling = waiter
            return false
        }
        if !isSettled { try await waiter.value(until: limit, on: clock) { .success(()) } }
    }

    /// Ends the inbox after its messages; `drops` discards them.
    func end(_ failure: NetworkError?, drops: Bool = false) {
        let end: Result<Void, any Error> = failure.map { .failure($0) } ?? .success(())
        let (readers, room, settling) = state.withLock { state in
            if state.end == nil { state.end = end }
            if drops { state.messages = Fifo() }
            return (state.readers.takeAll(), state.room.take(), state.settling.take())
        }
        room?.resume()
        settling?.resume(.success(()))
        for reader in readers { reader.resume(end.map { nil }) }
    }
}
