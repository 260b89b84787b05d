import CoreNetKitSystem

/// Decides when a second request is sent beside a slow first one.
///
/// Create one for each kind of request and pass it to a ``Client`` or to builders: it measures how long responses take.
public final class Hedger: Sendable {
    /// The wait before the second request.
    public enum Delay: Sendable, Hashable {
        /// A fixed wait.
        case fixed(Duration)
        /// The latency below which this share of responses arrived, 0 to 1; nothing is hedged before 20 responses were
        /// measured.
        case percentile(Double)
    }

    private struct Latencies: Sendable {
        static let capacity = 200
        static let least = 20

        private var recent: [Duration] = []
        private var sorted: [Duration] = []
        private var next = 0

        mutating func add(_ latency: Duration) {
            if recent.count < Self.capacity {
                recent.append(latency)
            } else {
                sorted.remove(at: place(of: recent[next]))
                recent[next] = latency
                next = (next + 1) % Self.capacity
            }
            sorted.insert(latency, at: place(of: latency))
        }

        func percentile(_ share: Double) -> Duration? {
            guard sorted.count >= Self.least else { return nil }
            return sorted[min(Int(share * Double(sorted.count)), sorted.count - 1)]
        }

        /// The index of the first latency that is not shorter.
        private func place(of latency: Duration) -> Int { sorted.sortedIndex { $0 < latency } }
    }

    private let setting: Delay
    private let latencies = Locked(Latencies())
    package let settingsProblem: String?

    /// Creates a hedger.
    ///
    /// - Parameter delay: The wait before the second request: a duration above zero, or a share above 0 and below 1.
    public init(after delay: Delay) {
        setting = delay
        switch delay {
        case .fixed(let duration):
            settingsProblem = duration <= .zero ? "the hedging delay of \(duration) is not above zero" : nil
        case .percentile(let share):
            settingsProblem =
                share > 0 && share < 1 ? nil : "the hedging percentile of \(share) is not above 0 and below 1"
        }
    }

    /// The wait before the second request; `nil` before enough responses were measured.
    var delay: Duration? {
        switch setting {
        case .fixed(let duration): duration
        case .percentile(let share): latencies.withLock { $0.percentile(share) }
        }
    }

    var learns: Bool { if case .percentile = setting { true } else { false } }

    func learn(_ latency: Duration) { latencies.withLock { $0.add(latency) } }
}
