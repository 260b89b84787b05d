import CoreNetKitEssentials
import CoreNetKitSystem

/// What this process has of the folder.
struct FolderHold: Sendable {
    /// What it is to the folder.
    enum Role: Sendable { case closed, delivering, enqueuing }

    let path: String
    var role = Role.closed
    var isSuspended = false
    /// Which folder it was when it was opened first: another one in its place is not an empty outbox.
    var identity: FileStatus?
    var lock: OpenFile?
    /// Where entries go while another process delivers.
    var inbox: InboxWriter?
    var adoptedFiles: Set<String> = []

    init(path: String) { self.path = path }
}

/// What is on its way, and who waits for its end.
struct Flights: Sendable {
    var isRunning = false
    /// How to end what is on its way.
    private(set) var cancels: [UInt64: @Sendable () -> Void] = [:]
    var waiters: [CheckedContinuation<Void, Never>] = []
    /// What came of errands outside of their turn, while that had begun.
    var settledMeanwhile: [String: OutboxErrand.Outcome] = [:]

    var count: Int { cancels.count }

    mutating func begin(_ number: UInt64) { cancels[number] = {} }

    /// Remembers how to end one; `false` for one that is over.
    mutating func register(_ number: UInt64, _ cancel: @escaping @Sendable () -> Void) -> Bool {
        guard cancels[number] != nil else { return false }
        cancels[number] = cancel
        return true
    }

    mutating func end(_ number: UInt64) {
        cancels[number] = nil
        wakeWaiters()
    }

    /// Each of them looks whether it has anything to wait for.
    mutating func wakeWaiters() {
        for waiter in waiters { waiter.resume() }
        waiters = []
    }
}

/// What is written, and not known to be on the disk.
struct SyncState: Sendable {
    /// Entries that are not to be sent yet.
    var undurable: Set<UInt64> = []
    var waiters: [CheckedContinuation<Void, any Error>] = []
    /// Records whose loss would do no more than repeat what is harmless.
    var marks = 0
    /// Files of entries that are over, once that is on the disk.
    var finishedBlobs: [String] = []
}

/// What is told to whoever looks.
struct OutboxNews: Sendable {
    private(set) var reports: [OutboxReport] = []
    var totals = Outbox.Totals()
    var trouble: String?

    mutating func add(_ report: OutboxReport) {
        reports.append(report)
        totals.reports += 1
        if reports.count > 100 { reports.removeFirst(reports.count - 100) }
    }
}

/// Those in this process who wait for something of an entry.
struct OutboxCallers: Sendable {
    var receipts: [UUID: ReceiptState] = [:]
    var handlers: [String: @Sendable (OutboxDelivery) async -> Void] = [:]
    /// Entries of an owner that are about to be stored; one that is missing when it is was removed meanwhile.
    var staging: [UUID: String] = [:]
}
