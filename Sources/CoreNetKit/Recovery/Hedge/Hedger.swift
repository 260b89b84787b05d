import CoreNetKitTransport

/// When a second request is sent beside a slow first one.
///
/// Make one for each kind of request and give it to a ``Client`` or to builders: it remembers how long answers take.
public final class Hedger: Sendable {
    /// The wait before the second request.
    public enum Delay: Sendable, Hashable {
        /// Always the same.
        case fixed(Duration)
        /// So long as this share of answers took, 0 to 1; nothing is hedged before 20 answers are known.
        case percentile(Double)
    }

    private struct Latencies: Sendable {
        static let capacity = 200
        static let least = 20

        private var recent: [Duration] = []
        private var next = 0
        private var unread = 0
        private var known: Duration?

        mutating func add(_ latency: Duration) {
            if recent.count < Self.capacity {
                recent.append(latency)
            } else {
                recent[next] = latency
                next = (next + 1) % Self.capacity
            }
            unread += 1
        }

        /// Sorted anew after every tenth answer: it need not be exact.
        mutating func percentile(_ share: Double) -> Duration? {
            guard recent.count >= Self.least else { return nil }
            if known == nil || unread >= 10 {
                known = recent.sorted()[min(Int(share * Double(recent.count)), recent.count - 1)]
                unread = 0
            }
            return known
        }
    }

    private let setting: Delay
    private let latencies = Locked(Latencies())
    let problem: String?

    /// Creates a hedger.
    ///
    /// - Parameter delay: The wait before the second request: a duration above zero, or a share above 0 and below 1.
    public init(after delay: Delay) {
        setting = delay
        switch delay {
        case .fixed(let duration):
            problem = duration <= .zero ? "the hedging delay of \(duration) is not above zero" : nil
        case .percentile(let share):
            problem = share > 0 && share < 1 ? nil : "the hedging percentile of \(share) is not above 0 and below 1"
        }
    }

    /// The wait before the second request; `nil` when too little is known.
    var delay: Duration? {
        switch setting {
        case .fixed(let duration): duration
        case .percentile(let share): latencies.withLock { $0.percentile(share) }
        }
    }

    func learn(_ latency: Duration) {
        guard case .percentile = setting else { return }
        latencies.withLock { $0.add(latency) }
    }
}
