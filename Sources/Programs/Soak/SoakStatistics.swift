import CoreNetKit
import CoreNetKitSystem
import Foundation

/// Counts starts and ends of calls, and records violations.
final class SoakStatistics: Sendable {
    private struct State {
        var open: [Int: SoakCall] = [:]
        var ended = 0
        var outcomes: [String: Int] = [:]
        var violations: [String] = []
    }

    private let state = Locked(State())

    func begin(_ call: SoakCall) { state.withLock { $0.open[call.id] = call } }

    func end(_ call: SoakCall, _ outcome: SoakOutcome) {
        state.withLock { state in
            state.ended += 1
            state.outcomes[outcome.name, default: 0] += 1
            if state.open.removeValue(forKey: call.id) == nil {
                state.violations.append("\(call.description) ended twice")
            }
            if !call.allows(outcome.name) {
                state.violations.append("\(call.description) ended as \(outcome.name) \(outcome.detail)")
            }
        }
    }

    /// Ends the process if no call ends for a minute.
    func watch() async throws {
        var last = -1
        while true {
            try await Task.sleep(for: .seconds(60))
            let (ended, open) = state.withLock { ($0.ended, $0.open) }
            if ended == last, !open.isEmpty {
                for call in open.values { print("VIOLATION: \(call.description) does not end") }
                fflush(nil)
                exit(1)
            }
            last = ended
            print("  \(ended) of \(ended + open.count)")
            fflush(nil)
        }
    }

    func report() {
        let (ended, outcomes) = state.withLock { ($0.ended, $0.outcomes) }
        print("\n\(ended) calls ended as")
        for (outcome, count) in outcomes.sorted(by: { $0.value > $1.value }) { print("  \(outcome): \(count)") }
    }

    func violations(started: Int) -> [String] {
        state.withLock { state in
            let shown = state.violations.prefix(20)
            let more = state.violations.count > 20 ? ["and \(state.violations.count - 20) more"] : []
            let ends = state.ended == started ? [] : ["\(started) calls, \(state.ended) ends"]
            return shown + more + ends
        }
    }
}
