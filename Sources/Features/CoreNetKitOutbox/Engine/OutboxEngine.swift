import CoreNetKitChain
import CoreNetKitEssentials
import CoreNetKitSystem

/// The state of an outbox and all of its file work, on a serial queue.
actor OutboxEngine {
    nonisolated let options: Outbox.Options
    nonisolated let time: OutboxTime
    nonisolated let wakeSignal = WakeSignal()
    nonisolated let changes = StateFeed<UInt64>(0)
    nonisolated let jobs = JobRegistry()
    private nonisolated let queue: FileQueue
    let files: any FileOperations

    var folderState: FolderState
    var log: OutboxLog?
    var index = EntryIndex()
    var schedule: QueueSchedule
    var deliveryGate: DeliveryGate
    var runningAttempts = RunningAttempts()
    var syncing = SyncState()
    /// What observers see, without its queues and dead letters.
    var published = Outbox.State()
    var callers = OutboxCallers()

    init(
        _ files: any FileOperations,
        _ folder: String,
        _ options: Outbox.Options,
        _ time: OutboxTime,
        owner: String?,
        seed: UInt64
    ) {
        (self.files, self.options, self.time) = (files, options, time)
        folderState = FolderState(path: folder)
        deliveryGate = DeliveryGate(owner: owner.map(Partition.ownerName(stored:)), seed: seed)
        schedule = QueueSchedule(priority: options.priority)
        queue = FileQueue("outbox")
    }

    nonisolated var unownedExecutor: UnownedSerialExecutor { queue.asUnownedSerialExecutor() }

    deinit { if let lock = folderState.lock { files.close(lock) } }

    var folder: String { folderState.path }

    // MARK: Opening

    /// Opens the folder unless it is open; every operation begins with this: an unreadable folder is `notReady`, never empty.
    func requireReady() throws(OutboxError) {
        if folderState.role == .delivering || (folderState.role == .enqueuing && folderState.identity != nil) { return }
        do throws(OutboxError) {
            try prepareFolder()
            if folderState.isSuspended { folderState.role = .enqueuing } else { try takeOver() }
            published.problem = nil
        } catch {
            let failure = error.code == .storage ? OutboxError(.notReady, error.message, cause: error.cause) : error
            published.problem = failure.message
            publish()
            throw failure
        }
        publish()
    }

    func takeOver() throws(OutboxError) {
        guard folderState.role != .delivering else { return }
        let file = try mappingFiles { () throws(FileError) in try files.open(folder + "/lock", .updateOrCreate) }
        var keepsLock = false
        defer { if !keepsLock { files.close(file) } }
        guard try mappingFiles({ () throws(FileError) in try files.tryLock(file) }) else {
            folderState.role = .enqueuing
            return
        }
        try load()
        folderState.lock = file
        keepsLock = true
        folderState.role = .delivering
        _ = try? adoptInboxes()
        removeStrayBlobs()
        publish()
    }

    private func prepareFolder() throws(OutboxError) {
        let found = try mappingFiles { () throws(FileError) in try files.status(of: folder) }
        if found == nil, folderState.identity != nil {
            throw OutboxError(.notReady, "the folder was removed while it was in use")
        }
        do throws(FileError) {
            try files.claimFolder(folder)
            if found == nil { try files.syncFolder(folder.folderPath) }
        } catch {
            throw error.operation == .owner ? OutboxError(.notReady, error.description) : OutboxError(error)
        }
        let status = try mappingFiles { () throws(FileError) in try files.status(of: folder) }
        guard let status else { throw OutboxError(.notReady, "the folder was removed while it was in use") }
        if let identity = folderState.identity, identity.inode != status.inode || identity.device != status.device {
            throw OutboxError(.notReady, "another folder has replaced that of the outbox")
        }
        folderState.identity = status
    }

    private func load() throws(OutboxError) {
        let log = OutboxLog(
            files: files,
            folder: folder,
            segmentLimit: options.segmentLimit,
            durability: options.durability.syncDurability,
            now: { [time] in UInt64(clamping: time.wall) }
        )
        var index = EntryIndex()
        var unreadable = 0
        let recovery = try log.open { record in
            if !index.apply(record) { unreadable += 1 }
        }
        (self.log, self.index) = (log, index)
        wakeSignal.raise()
        if recovery.damagedPlaces > 0 || unreadable > 0 {
            report(.damaged(places: recovery.damagedPlaces + unreadable, bytes: recovery.damagedCount))
        }
        restoreWaits()
        resolveInterrupted()
        // Compacts damage away, or each start would find and report it again.
        if recovery.damagedCount > 0 { try? compact() }
    }

    /// Restores waits, which are stored in wall time; a clock that was set back must not lengthen them.
    private func restoreWaits() {
        let (moment, now) = (time.moment(), time.monotonic())
        for (number, entry) in index.entries.filter({ $0.value.history.wait != nil }) {
            guard let wait = entry.history.wait else { continue }
            let began = WallMoment(wall: wait.at)
            let planned = max(began.milliseconds(until: wait.next), 0)
            let left = max(planned - (moment.elapsed(since: began) ?? 0), 0)
            index.update(number) { $0.history.notBefore = now + .milliseconds(left) }
        }
    }

    /// Requests in flight when the process ended may have arrived.
    private func resolveInterrupted() {
        for number in index.interrupted.sorted() {
            guard let entry = index[number], entry.state == .sending else { continue }
            if entry.facts(at: time).mayRepeatUnknown {
                index.update(number) { $0.state = .waiting }
            } else {
                fail(number, .inDoubt("the process ended while it was being sent"))
            }
        }
        index.interrupted = []
    }

    /// Releases the folder: later entries are stored in the inbox, and another process may deliver.
    func releaseFolder() {
        if let log {
            try? log.sync()
            removeFinishedBlobs()
        }
        log = nil
        if let lock = folderState.lock { files.close(lock) }
        folderState.lock = nil
        index = EntryIndex()
        folderState.role = .closed
        syncing.unsynced = []
    }
}

extension Outbox.Durability {
    var syncDurability: SyncDurability? {
        switch self {
        case .written: nil
        case .synced: .barrier
        case .flushed: .full
        }
    }
}
