package import CoreNetKitChain
import CoreNetKitEssentials
import CoreNetKitSystem

/// The timeout of a storage; after a call that timed out, the storage is left alone for as long again.
///
/// A call with a deadline waits at most for half of the rest. Late work continues: an invalidation must not be lost.
package struct StorageTimeout: Sendable {
    let clock: CallClock
    let limit: Duration
    private var deadline: Duration?
    /// Until when the storage is left alone.
    private let pauseEnd: Locked<Duration?>
    var onLate: (@Sendable () -> Void)?

    package init(_ limit: Duration, on clock: CallClock) {
        (self.limit, self.clock, pauseEnd) = (limit, clock, Locked(nil))
    }

    package func within(_ deadline: Duration?) -> StorageTimeout {
        var copy = self
        copy.deadline = deadline
        return copy
    }

    /// The result of work; `nil` on a timeout, and for new work while the storage is left alone.
    package func value<Value: Sendable>(isBegun: Bool = false, of work: @escaping @Sendable () async -> Value) async
        -> Value?
    {
        guard isBegun || mayCall else { return nil }
        let waiter = Waiter<Value?>()
        _ = Task.startImmediately { waiter.resume(.success(await work())) }
        // A cancelled caller returns at once.
        let wait = wait
        return try? await waiter.value(until: clock.time(after: wait), on: clock) { [clock, pauseEnd, onLate] in
            let end = clock.time(after: wait)
            pauseEnd.withLock { $0 = max($0 ?? end, end) }
            onLate?()
            return .success(nil)
        }
    }

    private var mayCall: Bool {
        pauseEnd.withLock { pauseEnd in
            guard let until = pauseEnd else { return true }
            guard clock.now >= until else { return false }
            pauseEnd = nil
            return true
        }
    }

    private var wait: Duration {
        guard let deadline else { return limit }
        return min(limit, max(.zero, deadline - clock.now) / 2)
    }
}

struct TimedContent: CacheContent {
    let content: any CacheContent
    let timeout: StorageTimeout

    var length: Int64 { content.length }

    func read(_ range: Range<Int64>) async -> Data? {
        // A read in progress is not cut off because another call timed out.
        await timeout.value(isBegun: true) { [content] in await content.read(range) } ?? nil
    }
}

extension CacheContent {
    /// The same content, read for a call with a deadline.
    func within(_ deadline: Duration?) -> any CacheContent {
        guard let timed = self as? TimedContent else { return self }
        return TimedContent(content: timed.content, timeout: timed.timeout.within(deadline))
    }
}

struct TimedWriter: CacheWriter {
    let writer: any CacheWriter
    let timeout: StorageTimeout

    func write(_ chunk: Data) async -> Bool { await timeout.value { await writer.write(chunk) } ?? false }
    func commit() async -> CacheEdit.Result { await timeout.value { await writer.commit() } ?? .failed }
    func discard() async { await writer.discard() }
}
