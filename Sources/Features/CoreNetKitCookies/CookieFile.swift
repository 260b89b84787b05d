public import CoreNetKitEssentials
package import CoreNetKitSystem

/// The file of a jar: readable only by its owner, replaced atomically, shared by any number of processes.
public struct CookieFile: Sendable {
    /// Why a jar could not be stored or read.
    public enum Failure: Error, Sendable, Hashable {
        /// The file cannot be read or written; the text says why.
        case file(String)
        /// The file exists but holds no jar.
        case damaged
    }

    private let path: String
    private let files: any FileOperations

    /// Names the file; it need not exist.
    public init(at url: URL) { self.init(path: url.path(percentEncoded: false), files: PosixFiles()) }

    package init(path: String, files: any FileOperations) { (self.path, self.files) = (path, files) }

    /// Synchronizes file and jar: stores changes of the jar, and adopts what other processes have stored.
    ///
    /// Of two changes of a cookie the later one wins. A sign-out removes the partition's cookies from every process
    /// when it stores next. Cookies of an unstable partition belong to no user after a restart, and are not stored. A jar
    /// belongs to one file; with a second file it loads and stores everything. Blocks the thread during disk
    /// operations.
    ///
    /// - Throws: ``Failure``; file and jar are unchanged then.
    public func store(_ jar: CookieJar, includesSession: Bool = false) throws(Failure) {
        try whileLocked { () throws(Failure) in
            let there = try content(replacesDamaged: true)
            let merge = jar.merge(with: there ?? CookieFileContent(), at: path, includesSession: includesSession)
            if merge.isChanged || there == nil { try write(merge.content) }
            jar.apply(merge, at: path, isStored: true)
        }
    }

    /// Adds the cookies of the file to a jar, of two with the same name the later one; a missing file adds nothing.
    ///
    /// - Throws: ``Failure``; the jar is unchanged then.
    public func load(into jar: CookieJar) throws(Failure) {
        guard let there = try content(replacesDamaged: false) else { return }
        let merge = jar.merge(with: there, at: path, includesSession: false)
        jar.apply(merge, at: path, isStored: false)
    }

    private func content(replacesDamaged: Bool) throws(Failure) -> CookieFileContent? {
        let bytes = try access { () throws(FileError) in try files.content(of: path, limit: 64 << 20) }
        guard let bytes else { return nil }
        guard var content = try? JSONDecoder().decode(CookieFileContent.self, from: Data(bytes)) else {
            if replacesDamaged { return nil }
            throw .damaged
        }
        // A file of a newer version must not be replaced.
        guard content.version == 1 else { throw .damaged }
        // Earlier versions accepted invalid cookies.
        content.partitions = content.partitions.filter { !Self.isOfAnEarlierProcess($0.key) }
            .mapValues { $0.filter(\.isWellFormed) }
        return content
    }

    private func write(_ content: CookieFileContent) throws(Failure) {
        guard let bytes = try? JSONEncoder().encode(content) else { throw .damaged }
        // Only the holder of the lock has a draft of this name; versions without the lock use another name.
        try access { () throws(FileError) in try files.replace(path, with: Array(bytes), draft: ".\(name).next") }
    }

    private func access<Value>(_ work: () throws(FileError) -> Value) throws(Failure) -> Value {
        do throws(FileError) { return try work() } catch { throw .file(error.reason) }
    }

    private var name: String { path.split(separator: "/").last.map(String.init) ?? "cookies" }

    private func whileLocked(_ work: () throws(Failure) -> Void) throws(Failure) {
        let lock = try access { () throws(FileError) in
            try files.open("\(path.folderPath)/.\(name).lock", .updateOrCreate)
        }
        defer { files.close(lock) }
        // Other processes hold it for milliseconds.
        guard try access({ () throws(FileError) in try files.lock(lock, within: .seconds(10)) }) else {
            throw .file("another process holds its lock")
        }
        try work()
    }

    /// Whether a partition belongs to a login without a name, as older versions wrote them: no user has it any more.
    private static func isOfAnEarlierProcess(_ partition: String) -> Bool {
        guard let login = partition.firstRange(of: "42:login ") else { return false }
        return UUID(uuidString: String(partition[login.upperBound...].prefix(36))) != nil
    }
}

/// Stores a jar after a change or use, at most once per delay.
final class CookieSaver: Sendable {
    private let file: CookieFile
    private let includesSession: Bool
    private let delay: Duration
    private let clock: any Clock<Duration>
    private let failed: @Sendable (CookieFile.Failure) -> Void
    private let worker = FileWorker("cookies")
    private let isScheduled = Locked(false)

    init(
        _ file: CookieFile,
        includesSession: Bool,
        after delay: Duration,
        on clock: any Clock<Duration>,
        failed: @escaping @Sendable (CookieFile.Failure) -> Void
    ) {
        (self.file, self.includesSession, self.failed) = (file, includesSession, failed)
        (self.delay, self.clock) = (delay, clock)
    }

    func touch(_ jar: CookieJar) {
        guard isScheduled.set() else { return }
        Task { [self] in
            try? await clock.sleep(for: delay.bounded)
            isScheduled.withLock { $0 = false }
            do throws(CookieFile.Failure) { try await save(jar) } catch { failed(error) }
        }
    }

    func save(_ jar: CookieJar) async throws(CookieFile.Failure) {
        try await worker.run { [self] () throws(CookieFile.Failure) in
            try file.store(jar, includesSession: includesSession)
        }
    }
}

extension CookieJar {
    /// Reads a file, and from now on stores changes automatically.
    ///
    /// The file is created if it is missing. It is synchronized at most once per `delay`, also when cookies are only
    /// sent: a sign-out in another process takes effect here within that time. If storing fails, `failed` is called, and
    /// the next change tries again.
    ///
    /// - Throws: ``CookieFile/Failure`` if the file cannot be read; then nothing is stored.
    public func keep(
        in file: CookieFile,
        includesSession: Bool = false,
        after delay: Duration = .seconds(1),
        on clock: any Clock<Duration> = ContinuousClock(),
        failed: @escaping @Sendable (CookieFile.Failure) -> Void = { _ in }
    ) throws(CookieFile.Failure) {
        try file.load(into: self)
        let saver = CookieSaver(file, includesSession: includesSession, after: delay, on: clock, failed: failed)
        state.withLock { $0.saver = saver }
    }

    /// Stores the jar now instead of after the delay, before a program ends.
    ///
    /// - Throws: ``CookieFile/Failure``.
    public func save() async throws(CookieFile.Failure) {
        guard let saver = state.withLock({ $0.saver }) else { return }
        try await saver.save(self)
    }
}
