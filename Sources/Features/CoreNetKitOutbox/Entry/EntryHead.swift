import CoreNetKitEssentials
import CoreNetKitHTTP
import CoreNetKitJson
import CoreNetKitSystem

/// The stored part of an entry before its body: one JSON object, of which readers ignore unknown members.
struct EntryHead: Hashable, Sendable {
    struct Blob: Hashable, Sendable {
        let name: String
        let byteCount: Int
        let digest: String
    }

    var id: UUID
    var queue: String
    var kind: String
    var method: String
    var url: String
    var fields: Headers
    var key: String?
    var made: WallMoment
    /// Milliseconds since 1970, by the clock that also gave `made`.
    var expires: Int64?
    var mergeKey: String?
    var owner: String?
    var repetition: OutboxRepetition
    /// Its position in the queue: that of the entry it replaced, else its own number.
    var position: UInt64?
    var replaces: UUID?
    /// The media type of a genuine response; another one comes from a captive portal.
    var expects: String?
    var revision = 0
    var hasBody = false
    /// Whether it is a job, with its kind as the name, instead of a request.
    var isJob = false
    var blob: Blob?
    var conditions: [OutboxCondition] = []
    /// The ids of entries that it has replaced and that others wait for.
    var replacedIDs: [UUID] = []

    var host: String { url.originText }

    func encoded(body: [UInt8]) throws(JsonError) -> [UInt8] {
        let head = try json.data()
        var bytes: [UInt8] = []
        bytes.reserveCapacity(4 + head.count + body.count)
        bytes.append(little: UInt32(head.count))
        bytes.append(contentsOf: head)
        bytes.append(contentsOf: body)
        return bytes
    }

    /// The head and the start of the body; `nil` if malformed.
    static func decode(_ payload: [UInt8]) -> (EntryHead, bodyStart: Int)? {
        guard payload.count >= 4 else { return nil }
        let count = payload.withUnsafeBytes { Int($0.little(UInt32.self, at: 0)) }
        guard count <= payload.count - 4, let json = try? Json(parsing: Data(payload[4..<4 + count])),
            let head = EntryHead(json)
        else { return nil }
        return (head, 4 + count)
    }

    private var json: Json {
        var json: Json = [
            "id": Json(id.uuidString), "queue": Json(queue), "kind": Json(kind), "method": Json(method),
            "url": Json(url), "made": Json(made.wall), "repeat": Json(repetition.description),
        ]
        if !fields.isEmpty { json["fields"] = Json(fields.map { Json([Json($0.name), Json($0.value)]) }) }
        if let boot = made.bootJson { json["madeBoot"] = boot }
        if let key { json["key"] = Json(key) }
        if let expires { json["expires"] = Json(expires) }
        if let mergeKey { json["merge"] = Json(mergeKey) }
        if let owner { json["owner"] = Json(owner) }
        if case .keyIsHonoured = repetition.rule { json["keyLife"] = Json(repetition.keyLife) }
        if let position { json["place"] = Json(position) }
        if let replaces { json["replaces"] = Json(replaces.uuidString) }
        if let expects { json["expects"] = Json(expects) }
        if revision != 0 { json["revision"] = Json(revision) }
        if hasBody { json["body"] = true }
        if isJob { json["errand"] = true }
        if !conditions.isEmpty { json["when"] = Json(conditions.map { Json($0.description) }) }
        if !replacedIDs.isEmpty { json["standsFor"] = Json(replacedIDs.map { Json($0.uuidString) }) }
        if let blob {
            json["blob"] = ["name": Json(blob.name), "count": Json(blob.byteCount), "sha256": Json(blob.digest)]
        }
        return json
    }
}

extension EntryHead {
    fileprivate init?(_ json: Json) {
        let members = json.object ?? [:]
        guard let id = members["id"]?.string.flatMap(UUID.init), let queue = members["queue"]?.string,
            let kind = members["kind"]?.string, let method = members["method"]?.string,
            let url = members["url"]?.string, let made = WallMoment(wall: members["made"], boot: members["madeBoot"])
        else { return nil }
        (self.id, self.queue, self.kind, self.method, self.url, self.made) = (id, queue, kind, method, url, made)
        fields = Headers()
        for field in members["fields"]?.array ?? [] {
            guard let name = field[0]?.string, let value = field[1]?.string else { return nil }
            fields.append(name, value)
        }
        key = members["key"]?.string
        expires = members["expires"]?.int64
        mergeKey = members["merge"]?.string
        owner = members["owner"]?.string
        position = members["place"]?.uint64
        replaces = members["replaces"]?.string.flatMap(UUID.init)
        expects = members["expects"]?.string
        revision = members["revision"]?.int ?? 0
        hasBody = members["body"]?.bool ?? false
        isJob = members["errand"]?.bool ?? false
        conditions = (members["when"]?.array ?? []).compactMap { $0.string.map { OutboxCondition(stored: $0) } }
        replacedIDs = (members["standsFor"]?.array ?? []).compactMap { $0.string.flatMap(UUID.init) }
        repetition = OutboxRepetition(stored: members["repeat"]?.string, keyLife: members["keyLife"]?.int64 ?? 0)
        if let blob = members["blob"] {
            guard let name = blob["name"]?.string, let count = blob["count"]?.int, let digest = blob["sha256"]?.string,
                !name.contains("/")
            else { return nil }
            self.blob = Blob(name: name, byteCount: count, digest: digest)
        }
    }
}

extension WallMoment {
    /// The part stored beside the wall time, which older versions ignore: the boot of the machine, and the time since.
    var bootJson: Json? { bootID == 0 ? Optional.none : Json([Json(bootID), Json(steady)]) }

    init?(wall: Json?, boot: Json?) {
        guard let wall = wall?.int64 else { return nil }
        if let bootID = boot?[0]?.uint64, let steady = boot?[1]?.int64 {
            self.init(wall: wall, steady: steady, bootID: bootID)
        } else {
            self.init(wall: wall)
        }
    }
}

extension String {
    /// Scheme, host and port of a URL: entries for an unreachable origin wait together.
    var originText: String { Origin(text: self)?.description ?? UnixSocket(text: self)?.text ?? self }
}

/// The payload of a record other than `entry`: how an attempt or an entry ended; unknown members are ignored.
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

    var payload: [UInt8] {
        var json: Json = [:]
        if let status { json["status"] = Json(status) }
        if let text { json["text"] = Json(String(text.prefix(200))) }
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
}

extension EntryMark {
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
