import CoreNetKitEssentials
import CoreNetKitSystem

extension OutboxEngine {
    /// An inbox's process, and its order among the inboxes that existed when it began: 0 in names of earlier versions.
    private typealias InboxName = (text: String, process: Substring, number: UInt64)

    private static func inboxName(_ text: String) -> InboxName? {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count > 2, parts[0] == "inbox" else { return nil }
        return (text, parts[1], parts.count > 3 ? UInt64(parts[2], radix: 16) ?? 0 : 0)
    }

    private static func inboxName(_ number: UInt64, _ salt: UInt64) -> String {
        let hex = { (value: UInt64) in Hex.encode(withUnsafeBytes(of: value.bigEndian) { Array($0) }) }
        return "inbox-\(ProcessInfo.processInfo.processIdentifier)-\(hex(number))-\(hex(salt)).log"
    }

    /// Stores an entry for the process that delivers; the inbox is locked only during the write.
    func storeInInbox(_ head: EntryHead, _ body: [UInt8]) throws -> OutboxReceipt {
        do throws(OutboxError) {
            let record = try record(0, head, body)
            if try !appendToInbox(record) { try beginInbox(record) }
        } catch {
            throw error.of(head.id)
        }
        let state = ReceiptState(id: head.id)
        state.fail(OutboxError(.deliveredElsewhere, "another process delivers this outbox", id: head.id))
        return OutboxReceipt(head: head, state: state)
    }

    /// Appends to the current inbox, unless it was adopted or is being adopted.
    private func appendToInbox(_ record: LogRecord) throws(OutboxError) -> Bool {
        guard let inbox = folderState.inbox else { return false }
        return try mappingFiles { () throws(FileError) in
            let file: OpenFile
            do throws(FileError) { file = try files.open(inbox.path, .update) } catch {
                if error.isMissing { return false }
                throw error
            }
            defer { files.close(file) }
            guard try files.tryLock(file) else { return false }
            let status = try files.status(of: file)
            guard status.linkCount > 0, status.size >= SegmentHead.count, status.size < 1 << 20 else { return false }
            var bytes: [UInt8] = []
            record.encode(salt: inbox.salt, into: &bytes)
            try write(bytes, to: file, at: status.size)
            return true
        }
    }

    private func beginInbox(_ record: LogRecord) throws(OutboxError) {
        // Another process may adopt the file while it is still empty: try again with another name.
        for _ in 0..<16 { if try beginOneInbox(record) { return } }
        throw OutboxError(FileError(.lock, folder, 11))
    }

    /// Creates an inbox; returns `false` when it was adopted empty.
    private func beginOneInbox(_ record: LogRecord) throws(OutboxError) -> Bool {
        let salt = UInt64.random(in: .min ... .max)
        let head = SegmentHead(segment: 0, made: UInt64(clamping: time.wall), salt: salt)
        var bytes = head.bytes
        record.encode(salt: salt, into: &bytes)
        return try mappingFiles { () throws(FileError) in
            // After all existing inboxes, including earlier ones of this process and of its predecessors.
            let last = try files.list(folder).compactMap { Self.inboxName($0)?.number }.max() ?? 0
            let number = max(last, folderState.inbox?.number ?? 0) &+ 1
            let path = "\(folder)/\(Self.inboxName(number, salt))"
            let file = try files.open(path, .create)
            defer { files.close(file) }
            // An empty file that was adopted has no name any more; nothing is lost but this try.
            guard try files.tryLock(file), try files.status(of: file).linkCount > 0 else { return false }
            do throws(FileError) {
                try write(bytes, to: file, at: 0)
                if options.durability != .written { try files.syncFolder(folder) }
            } catch {
                try? files.remove(path)
                throw error
            }
            folderState.inbox = (path, salt, number)
            return true
        }
    }

    private func write(_ bytes: [UInt8], to file: OpenFile, at offset: Int) throws(FileError) {
        do {
            try files.writeAll(file, bytes, at: offset)
            if let durability = options.durability.syncDurability { try files.sync(file, durability) }
        } catch {
            try? files.truncate(file, to: offset)
            throw error
        }
    }

    /// Adopts the entries that other processes have stored; returns `false` if a writer held one of their files.
    @discardableResult
    func adoptInboxes() throws(OutboxError) -> Bool {
        guard let log else { return false }
        var isComplete = true
        let names = try mappingFiles { () throws(FileError) in try files.list(folder) }
        var busy: Set<Substring> = []
        let inboxes = names.compactMap { Self.inboxName($0) }
        for name in inboxes.sorted(by: { ($0.number, $0.text) < ($1.number, $1.text) }) {
            // Keeps the order of a process: later inboxes must not overtake one that it is writing.
            guard !folderState.adoptedFiles.contains(name.text), !busy.contains(name.process) else { continue }
            if try !adopt(name.text, log) {
                isComplete = false
                busy.insert(name.process)
            }
        }
        return isComplete
    }

    private func adopt(_ name: String, _ log: OutboxLog) throws(OutboxError) -> Bool {
        let path = folder + "/" + name
        let file = try mappingFiles { () throws(FileError) in try files.open(path, .update) }
        defer { files.close(file) }
        guard try mappingFiles({ () throws(FileError) in try files.tryLock(file) }) else { return false }
        let content = try mappingFiles { () throws(FileError) in
            try files.readAll(file, count: try files.status(of: file).size)
        }
        let (entries, damaged) = try Self.entries(of: content, path)
        for (head, body) in entries where index[head.id] == nil {
            try admitStored(head, body, to: log)
            // At once: a later step may fail, and the entry exists all the same.
            wakeSignal.raise(for: head.queue)
        }
        if !entries.isEmpty { try log.sync() }
        if !damaged.isEmpty { report(.damaged(places: damaged.count, bytes: damaged.reduce(0) { $0 + $1.count })) }
        // From here on the file must not be adopted again; nothing of it was sent yet.
        folderState.adoptedFiles.insert(name)
        try mappingFiles { () throws(FileError) in
            try files.truncate(file, to: 0)
            try files.remove(path)
            if options.durability != .written { try files.syncFolder(folder) }
        }
        folderState.adoptedFiles.remove(name)
        if !entries.isEmpty { publish() }
        return true
    }

    private static func entries(
        of content: [UInt8],
        _ path: String
    ) throws(OutboxError) -> ([(EntryHead, [UInt8])], damaged: [Range<Int>]) {
        // Without a whole head its writer was killed before it wrote anything else.
        guard let head = try SegmentHead.read(content, of: path) else { return ([], []) }
        var found: [(EntryHead, [UInt8])] = []
        let scan = try content.withUnsafeBufferPointer { (bytes) throws(OutboxError) in
            try head.scan(UnsafeRawBufferPointer(bytes)) { (record, _, _) throws(OutboxError) in
                guard let (head, start) = EntryHead.decode(record.payload) else { return }
                found.append((head, Array(record.payload[start...])))
            }
        }
        return (found, scan.damaged)
    }

    /// Adds an entry of another process; one that could never be sent becomes a dead letter at once.
    private func admitStored(_ head: EntryHead, _ body: [UInt8], to log: OutboxLog) throws(OutboxError) {
        var (head, problem) = (head, String?.none)
        do throws(OutboxError) { try check(&head, isStored: true) } catch { problem = error.message }
        let number = try admit(head, body, to: log, enforcesLimits: false)
        if let problem { fail(number, .dead(problem)) }
    }
}
