import CoreNetKitChain
import CoreNetKitHTTP

/// What a miss does about other processes that miss the same.
struct CacheFlight: Sendable {
    /// What is to be done.
    let finding: CacheFinding
    /// Whether this process asks for all, and has to say when it is done.
    let isLeading: Bool
}

extension CacheEngine {
    /// Waits for the process that asks the server for the same resource, where the storage knows of one.
    ///
    /// What is waited for is worth no failure: after `missPatience` the call asks by itself.
    ///
    /// - Parameters:
    ///   - finding: What a look-up found.
    ///   - request: The request.
    ///   - scope: Under what to look.
    ///   - context: What belongs to this call alone: its deadline, and where its waits are noted.
    /// - Returns: What is to be done by now.
    /// - Throws: `CancellationError`.
    func flight(
        _ finding: CacheFinding,
        _ request: TransportRequest,
        _ scope: CacheScope,
        _ context: RequestContext
    ) async throws -> CacheFlight {
        guard missPatience > .zero, finding.isMissed, request.method == .get, case .collect = request.delivery else {
            return CacheFlight(finding: finding, isLeading: false)
        }
        let patience = clock.time(after: missPatience)
        let end = min(patience, context.deadline ?? patience)
        let vault = vault.within(deadline(of: context))
        var finding = finding
        var pause = Duration.milliseconds(2)
        while true {
            let key = finding.key
            // Also who leads looks up: between its look-up and the lease another one may have been done.
            let (isLeading, found) = await context.waiting(for: .init(.store)) {
                (await vault.lease(key, for: missPatience), await find(request, scope, acceptsStale: false))
            }
            finding = found
            guard !isLeading, finding.isMissed, clock.now < end else {
                return CacheFlight(finding: finding, isLeading: isLeading)
            }
            let wake = min(end, clock.time(after: pause))
            try await context.waiting(for: .init(.shared)) { try await clock.sleep(until: wake) }
            pause = min(pause * 2, .milliseconds(50))
        }
    }
}

extension CacheFinding {
    /// Whether a response is wanted that another process may store meanwhile.
    fileprivate var isMissed: Bool {
        let reasons: [CacheReason] = [.nothing, .noVariant, .vanished, .stale, .mustRevalidate, .invalidated]
        switch decision.action {
        case .forward, .validate: return reasons.contains(decision.reason)
        case .use, .useStale, .complete, .refuse: return false
        }
    }
}
