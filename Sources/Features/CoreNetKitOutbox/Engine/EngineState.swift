import CoreNetKitEssentials
import CoreNetKitSystem

/// What this process holds of the folder.
struct FolderState: Sendable {
    /// What this process does with the folder.
    enum Role: Sendable { case closed, delivering, enqueuing }

    let path: String
    var role = Role.closed
    var isSuspended = false
    /// The identity of the folder when it was first opened: another folder in its place is not an empty outbox.
    var identity: FileStatus?
    var lock: OpenFile?
    /// Where entries are stored while another process delivers.
    var inbox: InboxWriter?
    var adoptedFiles: Set<String> = []

    init(path: String) { self.path = path }
}

/// The attempts in flight, and the tasks that wait for their end.
struct RunningAttempts: Sendable {
    var isRunning = false
    /// Cancels the attempt of an entry.
    private(set) var cancels: [UInt64: @Sendable () -> Void] = [:]
    var waiters: [CheckedContinuation<Void, Never>] = []
    /// Outcomes of jobs run out of turn while their regular turn was running.
    var completedMeanwhile: [String: OutboxJob.Outcome] = [:]

    var count: Int { cancels.count }

    mutating func begin(_ number: UInt64) { cancels[number] = {} }

    /// Stores how to cancel an attempt; `false` for one that has ended.
    mutating func register(_ number: UInt64, _ cancel: @escaping @Sendable () -> Void) -> Bool {
        guard cancels[number] != nil else { return false }
        cancels[number] = cancel
        return true
    }

    mutating func end(_ number: UInt64) {
        cancels[number] = nil
        wakeWaiters()
    }

    /// Each waiter checks again whether it still has to wait.
    mutating func wakeWaiters() {
        for waiter in waiters { waiter.resume() }
        waiters = []
    }
}

/// What was written and may not be on disk yet.
struct SyncState: Sendable {
    /// Entries that must not be sent yet.
    var undurable: Set<UInt64> = []
    var waiters: [CheckedContinuation<Void, any Error>] = []
    /// The number of records whose loss would only cause a harmless repetition.
    var marks = 0
    /// Body files of ended entries, to remove once that is on disk.
    var finishedBlobs: [String] = []
}

/// What observers see.
struct PublishedState: Sendable {
    private(set) var reports: [OutboxReport] = []
    var totals = Outbox.Totals()
    var problem: String?

    mutating func add(_ report: OutboxReport) {
        reports.append(report)
        totals.reports += 1
        if reports.count > 100 { reports.removeFirst(reports.count - 100) }
    }
}

/// Callers in this process that wait for an entry.
struct OutboxCallers: Sendable {
    var receipts: [UUID: ReceiptState] = [:]
    var handlers: [String: @Sendable (OutboxDelivery) async -> Void] = [:]
    /// Owners of entries being stored; an id that is missing at the end was removed meanwhile.
    var staging: [UUID: String] = [:]
}
