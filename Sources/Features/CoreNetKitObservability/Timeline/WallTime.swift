import CoreNetKitChain
import CoreNetKitEssentials
import CoreNetKitSystem

/// An instant on the wall clock in whole microseconds since 1970.
struct WallTime {
    let microseconds: Int64

    init(_ date: Date) {
        let value = (date.timeIntervalSince1970 * 1_000_000).rounded()
        // The years 1 to 9999; other values are a broken clock.
        microseconds = value.isFinite ? Int64(min(max(value, -62_135_596_800_000_000), 253_402_300_799_000_000)) : 0
    }

    private init(microseconds: Int64) { self.microseconds = microseconds }

    /// The time of an event: the record's reading of the wall clock, plus the time since then by the call's clock.
    static func of(_ time: Duration, in record: CallRecord) -> WallTime {
        let (sum, overflow) = WallTime(record.startedAt).microseconds.addingReportingOverflow(time.microseconds)
        return WallTime(microseconds: overflow ? .max / 2 : sum)
    }

    /// `2026-01-31T12:30:00.123456Z`.
    var iso8601: String {
        let rest = (microseconds % 1_000_000 + 1_000_000) % 1_000_000
        guard let civil = CivilTime(Date(timeIntervalSince1970: Double((microseconds - rest) / 1_000_000))) else {
            return "1970-01-01T00:00:00.000Z"
        }
        return "\(civil.iso8601.dropLast()).\(CivilTime.padded(Int(rest), 6))Z"
    }

    /// Nanoseconds since 1970, as OTLP writes them.
    var unixNanoseconds: String { microseconds < 0 ? "0" : "\(microseconds)000" }
}

extension Duration {
    /// Whole microseconds; saturates.
    var microseconds: Int64 { min(max(wholeMicroseconds, .min / 2), .max / 2) }

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
    var digits = CivilTime.padded(Int(rest), 3)
    while digits.last == "0" { digits.removeLast() }
    return "\(sign)\(whole).\(digits)"
}
