import CoreNetKitEssentials
import CoreNetKitJson
import CoreNetKitSystem

/// The payload of a record other than `entry`: how an attempt or an entry ended.
///
/// Unknown members are ignored.
struct EntryMark: Hashable, Sendable {
    var status: Int?
    var text: String?
    /// When to try again, and when that was decided, in milliseconds since 1970.
    var next: Int64?
    var at: Int64?
    /// Totals after the event, so that a mark includes all earlier ones.
    var attempts: Int?
    /// When the first attempt began that the server may have executed.
    var firstSent: WallMoment?
    var by: UUID?

    static let longestText = 200

    var payload: [UInt8] {
        var json: Json = [:]
        if let status { json["status"] = Json(status) }
        if let text { json["text"] = Json(String(text.prefix(Self.longestText))) }
        if let next { json["next"] = Json(next) }
        if let at { json["at"] = Json(at) }
        if let attempts { json["attempts"] = Json(attempts) }
        if let firstSent {
            json["sent"] = Json(firstSent.wall)
            json["sentBoot"] = firstSent.bootJson
        }
        if let by { json["by"] = Json(by.uuidString) }
        return (try? json.data()).map { [UInt8]($0) } ?? []
    }

    init(
        status: Int? = nil,
        text: String? = nil,
        next: Int64? = nil,
        at: Int64? = nil,
        attempts: Int? = nil,
        firstSent: WallMoment? = nil,
        by: UUID? = nil
    ) {
        (self.status, self.text, self.next, self.at) = (status, text, next, at)
        (self.attempts, self.firstSent, self.by) = (attempts, firstSent, by)
    }

    init(payload: [UInt8]) {
        let json = payload.isEmpty ? nil : try? Json(parsing: Data(payload))
        status = json?["status"]?.int
        text = json?["text"]?.string
        next = json?["next"]?.int64
        at = json?["at"]?.int64
        attempts = json?["attempts"]?.int.map { min(max($0, 0), 1 << 31) }
        firstSent = WallMoment(wall: json?["sent"], boot: json?["sentBoot"])
        by = json?["by"]?.string.flatMap(UUID.init)
    }
}
