import TestSupport

/// A literal reading of what a private cache must and must not do (RFC 9111), written without looking at the cache.
///
/// It sees what the client requested, what it got, and every message of the server. Each server response has its number
/// in a field: a stored response names the last message about it.
struct MustOracle {
    let request: TransportRequest
    let response: TransportResponse
    let body: String
    let messages: [OracleMessage]
    /// How many of them there were before the call.
    let before: Int
    /// Milliseconds.
    let now: Int64
    /// The staleness that the caller accepts if the server fails.
    var staleIfError: Int64 = 0
    var isLocal = false

    /// The violations; empty for a correct response.
    var faults: [String] {
        var faults: [String] = []
        if isLocal, messages.count > before { faults.append("5.2.1.7: the network was asked") }
        faults += sentFaults
        guard let number = response.headers["X-Message"].flatMap({ Int($0) }), messages.indices.contains(number) else {
            // A response made by the cache itself.
            return response.status == 504 ? faults : faults + ["a response from nowhere: \(response.status)"]
        }
        faults += contentFaults + fieldFaults(messages[number])
        if number < before { faults += reuseFaults(number) }
        return faults
    }

    // MARK: What was sent

    /// RFC 9111, 4.3.1: the validators of a condition are those of stored responses.
    private var sentFaults: [String] {
        var faults: [String] = []
        for (index, message) in messages.enumerated().dropFirst(before) {
            let earlier = messages[..<index].filter { $0.path == message.path }
            if request.headers["If-None-Match"] == nil, let tags = message.request["If-None-Match"] {
                let known = Set(earlier.compactMap { $0.headers["ETag"] })
                let sent = tags.split(separator: ",").map { $0.filter { $0 != " " } }
                if !sent.allSatisfy({ known.contains(String($0)) }) { faults.append("4.3.1: a tag from nowhere") }
            }
            if let date = message.request["If-Modified-Since"],
                !earlier.contains(where: { $0.headers["Last-Modified"] == date })
            {
                faults.append("4.3.1: a date from nowhere")
            }
            if request.headers["If-Range"] == nil, message.request["If-Range"]?.hasPrefix("W/") == true {
                faults.append("9110, 13.1.5: a weak tag in If-Range")
            }
        }
        return faults
    }

    // MARK: What came

    /// RFC 9111, 3.3 and 3.4: the bytes belong to one state, and a part is marked as such.
    private var contentFaults: [String] {
        guard let entity = response.headers["X-Entity"] else { return [] }
        let text = OracleOrigin.text(of: entity)
        if request.method == .head || response.status == 304 {
            return body.isEmpty ? [] : ["a body where there is none"]
        }
        guard response.status == 206 else { return body == text ? [] : ["3.3: \(body) is not \(entity)"] }
        guard let range = Self.range(response.headers), request.headers["Range"] != nil else {
            return ["3.3: a part that nobody asked for"]
        }
        let part = String(text.dropFirst(range.lowerBound).prefix(range.count))
        return body == part ? [] : ["3.4: \(body) at \(range) is not of \(entity)"]
    }

    /// RFC 9111, 3.1, 3.2 and 4.3.4: the fields of the latest message, except hop-by-hop fields.
    private func fieldFaults(_ message: OracleMessage) -> [String] {
        let exempt = [
            "connection", "x-hop", "keep-alive", "content-length", "content-encoding", "content-range", "age", "date",
        ]
        var faults: [String] = []
        for field in message.headers where !exempt.contains(field.name.lowercased()) {
            if response.headers[field.name] != field.value {
                faults.append("3.2: \(field.name) is \(response.headers[field.name] ?? "not there")")
            }
        }
        return faults
    }

    // MARK: What was reused

    private func reuseFaults(_ number: Int) -> [String] {
        let (message, headers) = (messages[number], response.headers)
        var faults: [String] = []
        if request.method != .get && request.method != .head { faults.append("4: \(request.method) from the cache") }
        if message.path != request.url.path { faults.append("4: another URL's") }
        if headers["X-Hop"] != nil || headers["Keep-Alive"] != nil { faults.append("3.1: a connection's field") }
        let vary = headers["Vary"]?.lowercased() ?? ""
        if vary.contains("*") { faults.append("4.1: Vary: *") }
        if vary.contains("accept-language"),
            message.request["Accept-Language"] != request.headers["Accept-Language"]
        {
            faults.append("4.1: of another language")
        }
        if Self.directives(message.request)["no-store"] != nil { faults.append("5.2.1.5: the request said no-store") }
        let control = Self.directives(headers)
        if control["no-store"] != nil, control["must-understand"] == nil { faults.append("5.2.2.5: no-store") }
        return faults + partFaults(number) + changeFaults(number) + ageFaults(message, control)
    }

    /// RFC 9111, 3.3: a range wholly within the received bytes of this state.
    private func partFaults(_ number: Int) -> [String] {
        guard request.method == .get, let entity = response.headers["X-Entity"] else { return [] }
        var known = Set<Int>()
        for message in messages[...number] where message.entity == entity && message.method == .get {
            if message.status == 206, let range = Self.range(message.headers) { known.formUnion(range) }
            if message.status != 206, message.status != 304 { known.formUnion(0..<24) }
        }
        let given = response.status == 206 ? Self.range(response.headers) ?? 0..<24 : 0..<24
        return known.isSuperset(of: given) ? [] : ["3.3: bytes that never came"]
    }

    /// RFC 9111, 4.4: nothing is used that a later request may have changed.
    private func changeFaults(_ number: Int) -> [String] {
        let entity = response.headers["X-Entity"]
        // The last message that shows that the server had these bytes.
        let proof = messages[...number].lastIndex { message in
            message.entity == entity && message.path == request.url.path
                && (message.method == .get || message.headers["ETag"] != nil || message.headers["Last-Modified"] != nil)
        }
        let changes = messages.enumerated().filter { _, message in
            let named = ["Location", "Content-Location"].compactMap { message.headers[$0] }.map { $0.suffix(2) }
            let isMeant = message.path == request.url.path || named.contains { $0 == request.url.path }
            return !message.method.isSafe && (200..<400).contains(message.status) && isMeant
        }
        guard let last = changes.last?.offset, last > proof ?? -1, last < before else { return [] }
        return ["4.4: message \(last) has changed it"]
    }

    /// RFC 9111, 4.2, 5.1 and 5.2: fresh, or stale if that is permitted.
    private func ageFaults(_ message: OracleMessage, _ control: [String: String]) -> [String] {
        let headers = response.headers
        let age = (now - message.time) / 1000 + (Int64(message.headers["Age"] ?? "0") ?? 0)
        guard headers[values: "Age"] == [String(age)] else { return ["5.1: Age is \(headers["Age"] ?? "not there")"] }
        if control["no-cache"] != nil { return ["5.2.2.4: no-cache"] }
        let asked = Self.directives(request.headers)
        if asked["no-cache"] != nil { return ["5.2.1.4: the request said no-cache"] }
        let (lifetime, hasFailed) = (lifetime(headers, control), hasFailed)
        let window = max(Int64(control["stale-if-error"] ?? "") ?? 0, staleIfError)
        // RFC 5861, 4: what the client would prefer is not available.
        if hasFailed, window > 0, age - min(lifetime, age) < window, control["must-revalidate"] == nil { return [] }
        if let most = asked["max-age"].flatMap({ Int64($0) }), age > most { return ["5.2.1.1: \(age) s old"] }
        if let rest = asked["min-fresh"].flatMap({ Int64($0) }), lifetime > age, lifetime - age < rest {
            return ["5.2.1.3: fresh for \(lifetime - age) s"]
        }
        guard lifetime <= age else { return [] }
        if control["must-revalidate"] != nil { return ["5.2.2.2: stale, and must-revalidate"] }
        let staleness = age - lifetime
        if isLocal || asked["max-stale"] == "" || staleness <= Int64(asked["max-stale"] ?? "") ?? -1 { return [] }
        if staleness < Int64(control["stale-while-revalidate"] ?? "") ?? 0 { return [] }
        return ["4.2.4: stale for \(staleness) s"]
    }

    /// Whether the server was asked and failed; an unreachable one leaves no message.
    private var hasFailed: Bool {
        !isLocal && (messages.count == before || messages[before...].contains { $0.status >= 500 })
    }

    private func lifetime(_ headers: Headers, _ control: [String: String]) -> Int64 {
        if let text = control["max-age"] { return Int64(text) ?? 0 }
        if let expires = headers["Expires"] {
            guard let end = HTTPDate.parse(expires), let date = headers["Date"].flatMap({ HTTPDate.parse($0) }) else {
                return 0
            }
            return Int64(end.timeIntervalSince(date))
        }
        let isGuessable = [200, 203, 204, 206, 404, 410].contains(response.status) || control["public"] != nil
        // The heuristic lifetime is the cache's own choice.
        return isGuessable && headers["Last-Modified"] != nil ? .max : 0
    }

    // MARK: Reading fields

    private static func range(_ headers: Headers) -> Range<Int>? {
        guard let text = headers["Content-Range"], text.hasPrefix("bytes "), text.hasSuffix("/24") else { return nil }
        let ends = text.dropFirst(6).dropLast(3).split(separator: "-").compactMap { Int($0) }
        return ends.count == 2 ? ends[0]..<(ends[1] + 1) : nil
    }

    /// Names in lower case, values without quotes; a quoted comma ends nothing.
    private static func directives(_ headers: Headers) -> [String: String] {
        var directives: [String: String] = [:]
        var (text, isQuoted) = ("", false)
        for character in (headers["Cache-Control"] ?? "") + "," {
            if character == "\"" { isQuoted.toggle() }
            guard character == ",", !isQuoted else {
                if character != "\"" { text.append(character) }
                continue
            }
            let parts = text.split(separator: "=", maxSplits: 1).map { $0.filter { $0 != " " } }
            if let name = parts.first?.lowercased() { directives[name] = parts.count > 1 ? String(parts[1]) : "" }
            text = ""
        }
        return directives
    }
}
