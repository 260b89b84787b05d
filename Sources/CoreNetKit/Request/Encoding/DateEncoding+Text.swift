import CoreNetKitEssentials
import CoreNetKitSystem

extension ParameterStrategies.DateEncoding {
    func text(of date: Date) throws(RequestEncodingError) -> String {
        let seconds = date.timeIntervalSince1970
        switch self {
        case .iso8601:
            if let time = CivilTime(date) { return time.iso8601 }
        case .secondsSince1970:
            if let whole = Int64(exactly: seconds) { return String(whole) }
            if seconds.isFinite { return String(seconds) }
        case .millisecondsSince1970:
            if let whole = Int64(exactly: (seconds * 1000).rounded()) { return String(whole) }
        }
        throw RequestEncodingError("a date that is outside the range of its format cannot be written")
    }
}
