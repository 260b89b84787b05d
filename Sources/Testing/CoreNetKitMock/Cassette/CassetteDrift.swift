import CoreNetKitEssentials
import CoreNetKitHTTP
import CoreNetKitJson

extension CassetteEntry {
    /// The differences between a live response and the recorded one, one line each; with `comparesValues` also of values
    /// in JSON.
    func drift(from tape: CassetteEntry, comparesValues: Bool) -> [String] {
        var found: [String] = []
        if status != tape.status { found.append("status \(status), was \(tape.status)") }
        let (names, earlier) = (Self.comparableNames(headers), Self.comparableNames(tape.headers))
        for name in names.subtracting(earlier).sorted() { found.append("field '\(name)' is new") }
        for name in earlier.subtracting(names).sorted() { found.append("field '\(name)' is gone") }
        let isJson = (tape.headers["Content-Type"] ?? "").contains("json")
        if isJson, let left = try? Json(parsing: body), let right = try? Json(parsing: tape.body) {
            Self.compare(left, right, "content", comparesValues: comparesValues, &found)
        } else if comparesValues, body != tape.body {
            found.append("content: \(body.count) bytes, was \(tape.body.count)")
        }
        let (now, then) = (messages ?? [], tape.messages ?? [])
        if now.map(\.shape) != then.map(\.shape) || comparesValues && now != then {
            found.append("socket: \(now.count) messages, was \(then.count), or in another order")
        }
        return found
    }

    /// Field names without those that depend on time, connection and coding.
    private static func comparableNames(_ headers: Headers) -> Set<String> {
        Set(headers.map { $0.name.lowercased() }).subtracting([
            "date", "connection", "keep-alive", "content-length", "content-encoding", "transfer-encoding", "age",
            "server-timing", "etag", "last-modified",
        ])
    }

    private static func compare(
        _ live: Json,
        _ tape: Json,
        _ path: String,
        comparesValues: Bool,
        _ found: inout [String]
    ) {
        guard found.count < 100 else { return }
        if let left = live.array, let right = tape.array {
            if comparesValues, left.count != right.count {
                found.append("\(path): \(left.count) elements, were \(right.count)")
            }
            // Elements of an array are assumed to have one shape, so the first stands for all.
            let pairs = comparesValues ? Array(zip(left, right)) : Array(zip(left.prefix(1), right.prefix(1)))
            for (index, pair) in pairs.enumerated() {
                compare(pair.0, pair.1, "\(path)[\(index)]", comparesValues: comparesValues, &found)
            }
        } else if let left = live.object, let right = tape.object {
            for name in Set(left.keys).union(right.keys).sorted() {
                switch (left[name], right[name]) {
                case (let one?, let other?):
                    compare(one, other, "\(path).\(name)", comparesValues: comparesValues, &found)
                case (_?, nil): found.append("\(path).\(name) is new")
                case (nil, _): found.append("\(path).\(name) is gone")
                }
            }
        } else if kind(live) != kind(tape) {
            found.append("\(path) is \(kind(live)), was \(kind(tape))")
        } else if comparesValues, live != tape {
            found.append("\(path) has another value")
        }
    }

    private static func kind(_ json: Json) -> String {
        if json.isNull { return "null" }
        if json.string != nil { return "a string" }
        if json.bool != nil { return "a boolean" }
        if json.array != nil { return "an array" }
        return json.object != nil ? "an object" : "a number"
    }
}
