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
    ///   - deadline: When the call must have ended.
    /// - Returns: What is to be done by now.
    /// - Throws: `CancellationError`.
    func flight(
        _ finding: CacheFinding,
        _ request: TransportRequest,
        _ scope: CacheScope,
        until deadline: Duration?
    ) async throws -> CacheFlight {
        guard missPatience > .zero, finding.isMissed, request.method == .get, case .collect = request.delivery else {
            return CacheFlight(finding: finding, isLeading: false)
        }
        let end = min(clock.time(after: missPatience), deadline ?? clock.time(after: missPatience))
        var finding = finding
        var pause = Duration.milliseconds(2)
        while true {
            let isLeading = await vault.lease(finding.key, for: missPatience)
            // Also who leads: between its look-up and the lease another one may have been done.
            finding = await find(request, scope, acceptsStale: false)
            guard !isLeading, finding.isMissed, clock.now < end else {
                return CacheFlight(finding: finding, isLeading: isLeading)
            }
            try await clock.sleep(until: min(end, clock.time(after: pause)))
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
