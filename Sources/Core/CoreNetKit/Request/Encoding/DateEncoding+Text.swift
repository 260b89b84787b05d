import CoreNetKitEssentials
import CoreNetKitSystem

extension ParameterStrategies.DateEncoding {
    func text(of date: Date) throws(RequestEncodingError) -> String {
        let seconds = date.timeIntervalSince1970
        switch self {
        case .iso8601:
            if let time = CivilTime(date) { return time.iso8601 }
        case .iso8601WithMilliseconds:
            // Rounded as one number, so that 0.9996 s is the next second.
            let milliseconds = (seconds * 1000).rounded()
            let whole = (milliseconds / 1000).rounded(.down)
            if let time = CivilTime(Date(timeIntervalSince1970: whole)) {
                return "\(time.iso8601.dropLast()).\(CivilTime.padded(Int(milliseconds - whole * 1000), 3))Z"
            }
        case .secondsSince1970:
            if let whole = Int64(exactly: seconds) { return String(whole) }
            if seconds.isFinite { return String(seconds) }
        case .millisecondsSince1970:
            if let whole = Int64(exactly: (seconds * 1000).rounded()) { return String(whole) }
        }
        throw RequestEncodingError("a date that is outside the range of its format cannot be written")
    }
}
