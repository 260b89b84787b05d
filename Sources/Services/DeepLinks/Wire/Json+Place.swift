import CoreNetKit

extension Json {
    /// Converts all convertible values and omits the rest: one strange member does not make a payload unusable.
    init?(keepingJson value: Any, depth: Int = 0) {
        guard depth < 64 else { return nil }
        if let members = value as? [AnyHashable: Any] {
            var json: [String: Json] = [:]
            for (key, member) in members {
                guard let key = key.base as? String else { continue }
                json[key] = Json(keepingJson: member, depth: depth + 1)
            }
            self.init(json)
        } else if let elements = value as? [Any] {
            self.init(elements.compactMap { Json(keepingJson: $0, depth: depth + 1) })
        } else if let json = try? Json(value) {
            self = json
        } else {
            return nil
        }
    }

    /// The value at a dotted path; `nil` if there is none or it is `null`.
    func value(at path: String) -> Json? {
        var value = self
        for key in path.split(separator: ".") {
            guard let next = value.unwrapped[String(key)], !next.isNull else { return nil }
            value = next
        }
        return value
    }

    /// The object inside a text: some servers send a nested object as JSON text.
    var unwrapped: Json {
        guard let string, string.utf8.count <= 65_536, string.utf8.first(where: { $0 > 0x20 }) == UInt8(ascii: "{"),
            let object = try? Json(parsing: string)
        else { return self }
        return object
    }

    /// A text, or a whole number as text: servers write ids in both forms.
    var id: String? {
        string ?? int64.map { String($0) } ?? uint64.map { String($0) }
    }
}
