import CoreNetKitJson
import CoreNetKitSystem

/// Changes a document here and there: other values, members more, less, twice and in another order.
struct DocumentChanger {
    var random: SplitMix64

    private static let values: [Json] = [
        nil, true, false, 0, 1, -1, 300, 1.5, "", "x", "low", "AQID", [], [nil], [1], ["a"], [:], ["a": 1],
        ["value": 1], ["name": "x"], ["red": "low"], Json(UInt64.max), Json(number: "1e400") ?? nil,
        Json(number: "1e2") ?? nil, Json(number: "-0.0") ?? nil, Json(number: "0.1e-7") ?? nil,
    ]

    mutating func changed(_ json: Json) -> Json {
        if chance(8) { return Self.values.randomElement(using: &random) ?? nil }
        if let elements = json.array {
            var elements = elements.map { changed($0) }
            if chance(8) { elements.append(Self.values.randomElement(using: &random) ?? nil) }
            if chance(8) { elements.shuffle(using: &random) }
            if chance(8), !elements.isEmpty { elements.removeLast() }
            return Json(elements)
        }
        guard json.object != nil else { return json }
        var members = json.members.map { (key: $0.key, value: changed($0.value)) }
        if chance(3) { members.shuffle(using: &random) }
        if chance(8), let index = members.indices.randomElement(using: &random) { members.remove(at: index) }
        if chance(8), let index = members.indices.randomElement(using: &random) {
            members.append((members[index].key, Self.values.randomElement(using: &random) ?? nil))
        }
        if chance(8) { for number in 0..<40 { members.insert(("more\(number)", 0), at: 0) } }
        // As text, because a dictionary would not keep two members of one name.
        let text = members.map { "\(Json($0.key)):\($0.value)" }.joined(separator: ",")
        return (try? Json(parsing: "{\(text)}")) ?? json
    }

    private mutating func chance(_ one: Int) -> Bool { Int.random(in: 0..<one, using: &random) == 0 }
}
