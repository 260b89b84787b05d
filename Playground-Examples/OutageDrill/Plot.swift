import CoreNetKit
import Foundation

extension OutageDrill {
    static func plot(_ title: String, _ log: [Server.Second]) {
        print(title)
        for (second, entry) in log.enumerated().prefix(seconds) {
            let down = outage.contains(second) ? "down" : "    "
            let bar =
                String(repeating: "░", count: entry.calls / 12) + String(repeating: "█", count: entry.repetitions / 12)
            print("  \(padded(second, 2)) s \(down) \(padded(entry.requests, 4)) \(bar)")
        }
        print("")
    }

    static func padded(_ number: Int, _ width: Int) -> String {
        let text = String(number)
        return String(repeating: " ", count: max(0, width - text.count)) + text
    }

    /// Prints the expectation, and whether it was met.
    static func verdict(_ open: [Server.Second], _ bounded: [Server.Second]) -> Bool {
        let rate = users / period
        let allowed = Int(Double(rate) * (1 + budget.ratio)) + budget.floor
        let multiplied = open[outage].map(\.requests).max() ?? 0
        let most = bounded[outage].map(\.requests).max() ?? 0
        let cap = Int(RetryPolicy.standard.backoff.cap / .seconds(1))
        let recovered = bounded[outage.upperBound...].firstIndex { $0.responded >= rate } ?? .max
        let wait = recovered - outage.upperBound

        let isMultiplied = expect(
            multiplied > rate * 2,
            "without a budget the outage is multiplied: up to \(multiplied) requests a second for \(rate) calls"
        )
        let isBounded = expect(most <= allowed, "with a budget it is not: up to \(most), allowed \(allowed)")
        let text = "full rate in second \(wait) after the outage, the cap of the back-off is \(cap) s"
        return expect(wait < cap, text) && isMultiplied && isBounded
    }

    /// Prints an expectation; returns whether it was met.
    static func expect(_ condition: Bool, _ text: String) -> Bool {
        print("\(condition ? "✓" : "✗") \(text)")
        return condition
    }
}
