import Foundation

/// What the server has seen, pod by pod.
struct Story: Sendable {
    struct Figures: Sendable {
        var refreshes = 0
        var admitted = 0
        var hits = 0
        var lookups = 0
    }

    var pods = [Figures](repeating: Figures(), count: EightPods.count)
    var prices = 0
    private(set) var expiries = 0
    private(set) var doubles = 0
    private var token = 0
    private var isExpired = false
    private var spent: Set<String> = []

    mutating func expire() { (isExpired, expiries) = (true, expiries + 1) }

    /// A refresh token works once.
    mutating func renewed(_ login: Pod.Login, _ pod: Int) -> Pod.Login {
        if !spent.insert(login.refresh).inserted { doubles += 1 }
        pods[pod - 1].refreshes += 1
        token += 1
        isExpired = false
        return Pod.Login(access: "a\(token)", refresh: "r\(token)")
    }

    mutating func works(_ authorization: String, _ pod: Int) -> Bool {
        // Calls that the rate let pass, whether their token still worked or not.
        pods[pod - 1].admitted += 1
        return !isExpired && authorization == "Bearer a\(token)"
    }

    var refreshes: Int { pods.reduce(0) { $0 + $1.refreshes } }
    var admitted: Int { pods.reduce(0) { $0 + $1.admitted } }
    var hits: Int { pods.reduce(0) { $0 + $1.hits } }
    var lookups: Int { pods.reduce(0) { $0 + $1.lookups } }
    /// How many calls the rate allows while the pods send.
    var allowed: Int { EightPods.rate * Int(EightPods.length / .seconds(1)) + EightPods.burst }

    /// One refresh per expiry, none twice; no more than the rate, except for calls admitted shortly before the end.
    var isAsExpected: Bool {
        refreshes == expiries && doubles == 0 && admitted <= allowed + allowed / 50 + EightPods.count
            && hits * 10 >= lookups * 9
    }

    /// The three figures as panels, each with one bar per pod.
    var panels: [(title: String, sum: String, values: [Int])] {
        [
            ("refreshes", "\(refreshes) for \(expiries) expiries, \(doubles) twice", pods.map(\.refreshes)),
            ("admitted calls", "\(admitted) of \(allowed) allowed", pods.map(\.admitted)),
            ("hits of a shared response", "\(hits) of \(lookups), \(prices) requests", pods.map(\.hits)),
        ]
    }

    var text: String {
        var lines: [String] = []
        for panel in panels {
            lines.append("\n\(panel.title): \(panel.sum)")
            let most = max(panel.values.max() ?? 0, 1)
            for (index, value) in panel.values.enumerated() {
                let bar = String(repeating: "█", count: (value * 40 + most / 2) / most)
                lines.append("  pod \(index + 1) \(bar) \(value)")
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }
}
