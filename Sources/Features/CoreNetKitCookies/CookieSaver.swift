import CoreNetKitEssentials
import CoreNetKitSystem

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
        self.file = file
        self.includesSession = includesSession
        self.delay = delay
        self.clock = clock
        self.failed = failed
    }

    /// Schedules the next synchronization.
    func touch(_ jar: CookieJar) {
        let isFirst = isScheduled.withLock { isScheduled in
            defer { isScheduled = true }
            return !isScheduled
        }
        guard isFirst else { return }
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
    /// The file is synchronized at most once per `delay`, also when cookies are only sent: a sign-out in another process takes
    /// effect here within that time.
    ///
    /// - Parameters:
    ///   - file: The file; it is created if it is missing.
    ///   - includesSession: Whether session cookies are stored.
    ///   - delay: How long changes are collected.
    ///   - clock: The clock of the delay.
    ///   - failed: Called with the reason if storing failed; the next change tries again.
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
        update { $0.saver = saver }
    }

    /// Stores the jar now instead of after the delay, before a program ends.
    ///
    /// - Throws: ``CookieFile/Failure``.
    public func save() async throws(CookieFile.Failure) {
        guard let saver = read({ $0.saver }) else { return }
        try await saver.save(self)
    }
}
