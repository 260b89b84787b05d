import CoreNetKitSystem

extension Duration {
    /// Whole microseconds; saturates.
    var microseconds: Int64 {
        min(max(wholeMicroseconds, .min / 2), .max / 2)
    }

    /// Milliseconds, short: `0.4`, `12`, `1 204`.
    var shortMilliseconds: String {
        let micro = max(microseconds, 0)
        return micro < 10_000 ? "\(micro / 1000).\(micro / 100 % 10)" : "\((micro + 500) / 1000)"
    }
}

/// Microseconds as milliseconds with all digits: `12.345`, `0.5`, `7`.
func millisecondsText(_ microseconds: Int64) -> String {
    let sign = microseconds < 0 ? "-" : ""
    let (whole, rest) = microseconds.magnitude.quotientAndRemainder(dividingBy: 1000)
    guard rest > 0 else { return "\(sign)\(whole)" }
    var digits = String(rest)
    digits = String(repeating: "0", count: 3 - digits.utf8.count) + digits
    while digits.last == "0" { digits.removeLast() }
    return "\(sign)\(whole).\(digits)"
}
