import CoreNetKitChain
import CoreNetKitEssentials
import CoreNetKitSystem

struct FolderState: Sendable {
    enum Role: Sendable { case closed, delivering, enqueuing }

    let path: String
    var role = Role.closed
    var isSuspended = false
    /// The identity of the folder when it was first opened: another folder in its place is not an empty outbox.
    var identity: FileStatus?
    var lock: OpenFile?
    /// Where entries are stored while another process delivers.
    var inbox: (path: String, salt: UInt64, number: UInt64)?
    var adoptedFiles: Set<String> = []
}

struct RunningAttempts: Sendable {
    var isRunning = false
    var cancels: [UInt64: @Sendable () -> Void] = [:]
    var waiters: [Waiter<Void>] = []
    /// Outcomes of jobs run out of turn while their regular turn was running.
    var completedMeanwhile: [String: OutboxJob.Outcome] = [:]

    /// Each waiter checks again whether it still has to wait.
    mutating func wakeWaiters() {
        for waiter in waiters { waiter.resume(.success(())) }
        waiters = []
    }
}

struct SyncState: Sendable {
    var unsynced: Set<UInt64> = []
    var waiters: [CheckedContinuation<Void, any Error>] = []
    /// The number of records whose loss would only cause a harmless repetition.
    var marks = 0
    /// Body files of ended entries, to remove once that is on disk.
    var finishedBlobs: [String] = []
}

/// Callers in this process that wait for an entry.
struct OutboxCallers: Sendable {
    var receipts: [UUID: ReceiptState] = [:]
    var handlers: [String: @Sendable (OutboxDelivery) async -> Void] = [:]
    /// Owners of entries being stored; an id that is missing at the end was removed meanwhile.
    var staging: [UUID: String] = [:]
}

/// The two clocks of an outbox: wall moments for what is stored, a monotonic one for waits.
struct OutboxTime: Sendable {
    let moment: @Sendable () -> WallMoment
    /// The time since a fixed start, before anything was read; never goes back.
    let monotonic: @Sendable () -> Duration
    let sleep: @Sendable (_ until: Duration) async throws -> Void

    var wall: Int64 { moment().wall }

    var date: Date { Date(milliseconds: wall) }

    /// Whether so many milliseconds have passed since a moment that is known at the latest since the start.
    func hasElapsed(_ length: Int64, since moment: WallMoment) -> WallMoment.ElapsedState {
        self.moment().hasElapsed(length, since: moment, watched: monotonic().wholeMilliseconds)
    }
}

extension OutboxTime {
    init(clock: some Clock<Duration>, date: @escaping @Sendable () -> Date) {
        let clock = CallClock(clock)
        self.init(moment: clock.moments(at: date), monotonic: { clock.now }) { try await clock.sleep(until: $0) }
    }
}
