import CoreNetKitCache
import CoreNetKitHTTP
import CoreNetKitJson

import CoreNetKitEssentials

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Answers another program, one JSON object per line: whether a response is stored, and how a request is handled.
enum Decisions {
    /// Reads lines from the input until it ends.
    static func reply() throws {
        while let line = readLine() {
            let json = try Json(parsing: line)
            print(try reply(json).text())
            fflush(nil)
        }
    }

    private static func reply(_ json: Json) -> Json {
        let (first, second) = (headers(json["first"]), headers(json["request"]))
        let response = headers(json["response"])
        let status = json["status"]?.int ?? 200
        let received = json["received"]?.int64 ?? 0
        let elapsed = json["elapsed"]?.int64 ?? 0
        let refusal = Storing.refusal(
            method: .get,
            request: first,
            status: status,
            response: response,
            mode: .standard
        )
        guard refusal == nil, let names = Vary.names(response) else {
            return ["stored": false, "action": "ask", "section": .init(refusal?.rawValue ?? "vary")]
        }
        let then = CacheTime(wall: received * 1000, steady: 0, run: 1)
        let variant = CacheVariant(
            status: status,
            headers: StoredFields.kept(response),
            selecting: Vary.selecting(names, in: first),
            requested: then,
            received: then,
            isDecoded: false,
            content: .inline(Data())
        )
        let decision = decide(
            CacheRequestFacts(method: .get, headers: second),
            stored: CacheRecord(variants: [variant], counters: CacheCounters()),
            now: CacheTime(wall: (received + elapsed) * 1000, steady: elapsed * 1000, run: 1)
        )
        return ["stored": true, "action": .init(name(of: decision.action)), "section": .init(decision.reason.section)]
    }

    private static func name(of action: CacheAction) -> String {
        switch action {
        case .use: "use"
        case .useStale: "stale"
        case .validate, .complete, .forward: "ask"
        case .refuse: "refuse"
        }
    }

    private static func headers(_ json: Json?) -> Headers {
        Headers(
            (json?.array ?? []).compactMap { pair in
                pair[0]?.string.flatMap { name in pair[1]?.string.map { (name, $0) } }
            }
        )
    }
}
