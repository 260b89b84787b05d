extension Redactor {
    /// The field lines without secrets; field names, schemes and the names of cookies and parameters stay.
    package mutating func fields(_ headers: Headers) -> Headers {
        var headers = headers
        for index in headers.fields.indices {
            let value = value(of: headers.fields[index])
            if value != headers.fields[index].value { headers.fields[index].value = value }
        }
        return headers
    }

    package mutating func value(of field: Headers.Field) -> String {
        let (name, value) = (field.name, field.value)
        guard !value.isEmpty else { return value }
        if Headers.matches(name, "Cookie") {
            return value.split(separator: ";", omittingEmptySubsequences: false).map { pair($0) }.joined(separator: ";")
        }
        if Headers.matches(name, "Set-Cookie") {
            let end = value.firstIndex(of: ";") ?? value.endIndex
            return pair(value[..<end]) + value[end...]
        }
        let isNamed = rules.verdict(field: name) == .secret
        // A challenge begins with its scheme; a secret without parameters does not.
        if !isNamed || value.utf8.contains(UInt8(ascii: "=")),
            Self.challenges.contains(where: { Headers.matches($0, name) })
        {
            return parameters(of: value, named: name)
        }
        if isNamed { return keepingScheme(value, named: name) }
        if Self.links.contains(where: { Headers.matches($0, name) }) { return url(value) }
        if Headers.matches(name, "Link") { return link(value) }
        if Headers.matches(name, "Refresh") { return refresh(value) }
        if Headers.matches(name, "Sec-WebSocket-Protocol") { return protocols(value) }
        // Random values are normal in fields that trace requests.
        if SecretPattern.isToken(value)
            || SecretPattern.isOpaque(value) && rules.isCredential(field: name, value: value),
            isSecret(value: value, at: "the field '\(name)'")
        {
            return replacement(of: value, named: name)
        }
        return withoutTokens(Self.mayHoldSecrets(value) ? inner(value, depth: 1) ?? value : value)
    }

    /// The names of protocols without the tokens among them: for a WebSocket's handshake, browsers can set no other field.
    ///
    /// `base64url.bearer.authorization.k8s.io.TOKEN` is one of Kubernetes.
    private mutating func protocols(_ value: String) -> String {
        var isBehindScheme = false
        return value.split(separator: ",", omittingEmptySubsequences: false).map { item -> String in
            let body = item.drop { $0 == " " }
            let space = item[..<body.startIndex]
            defer { isBehindScheme = SecretTable.protocols.contains(body.lowercased()) }
            guard !body.isEmpty else { return String(item) }
            let mark = SecretTable.protocolStarts.lazy.compactMap { body.firstRange(of: $0)?.upperBound }.first
            if let mark, mark < body.endIndex {
                return "\(space)\(body[..<mark])\(replacement(of: body[mark...], named: "protocol"))"
            }
            guard isBehindScheme || SecretPattern.isOpaque(body) else { return withoutTokens(String(item)) }
            return space + replacement(of: body, named: "protocol")
        }
        .joined(separator: ",")
    }

    package static func hasURLs(_ name: String) -> Bool {
        (links + ["Link", "Refresh"]).contains { Headers.matches($0, name) }
    }

    /// Whether a text may contain a URL, a document or a scheme of credentials; scanning bytes is much faster than a
    /// search.
    private static func mayHoldSecrets(_ value: String) -> Bool {
        value.utf8.withContiguousStorageIfAvailable(mayHoldSecrets)
            ?? Array(value.utf8).withUnsafeBufferPointer(mayHoldSecrets)
    }

    private static func mayHoldSecrets(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        for index in bytes.indices {
            switch bytes[index] {
            case UInt8(ascii: "?"), UInt8(ascii: "{"): return true
            case UInt8(ascii: "/"): if ends(bytes, index, with: UInt8(ascii: ":"), UInt8(ascii: "/")) { return true }
            // `Bearer` and `Basic`.
            case UInt8(ascii: "r"): if ends(bytes, index, with: UInt8(ascii: "e"), UInt8(ascii: "r")) { return true }
            case UInt8(ascii: "c"): if ends(bytes, index, with: UInt8(ascii: "s"), UInt8(ascii: "i")) { return true }
            default: break
            }
        }
        return false
    }

    @inline(__always)
    private static func ends(
        _ bytes: UnsafeBufferPointer<UInt8>,
        _ index: Int,
        with first: UInt8,
        _ second: UInt8
    ) -> Bool { index >= 2 && bytes[index - 2] == first && bytes[index - 1] == second }

    private static let links = ["Location", "Content-Location", "Referer", "Origin"]
    private static let challenges = [
        "WWW-Authenticate", "Proxy-Authenticate", "Authentication-Info", "Proxy-Authentication-Info",
    ]

    /// `Bearer abc` keeps its first word, when there is another one.
    private mutating func keepingScheme(_ value: String, named name: String) -> String {
        let lower = name.lowercased()
        // A passphrase of several words has no scheme.
        guard SecretTable.schemed.contains(where: { lower.hasSuffix($0) }), let space = value.firstIndex(of: " "),
            Self.isWord(value[..<space])
        else { return replacement(of: value, named: name) }
        let secret = value[value.index(after: space)...]
        return "\(value[..<space]) \(replacement(of: secret, named: name))"
    }

    private static func isWord(_ text: Substring) -> Bool {
        text.utf8.count < 24 && text.utf8.allSatisfy { ($0 | 0x20) >= 0x61 && ($0 | 0x20) <= 0x7A || $0 == 0x2D }
            && !text.isEmpty
    }

    /// `name=value` without its value; a value without a name is removed too.
    private mutating func pair(_ pair: Substring) -> String {
        let body = pair.drop { $0 == " " }
        let space = pair[..<body.startIndex]
        guard let equals = body.firstIndex(of: "=") else {
            return body.isEmpty ? String(pair) : space + replacement(of: body, named: "cookie")
        }
        let value = body[body.index(after: equals)...]
        guard !value.isEmpty else { return String(pair) }
        return "\(space)\(body[...equals])\(replacement(of: value, named: "cookie-\(body[..<equals])"))"
    }

    /// `Digest realm="a", nonce="b"` with nothing but the names left.
    private mutating func parameters(of value: String, named name: String) -> String {
        var result = ""
        var rest = Substring(value)
        while !rest.isEmpty {
            let word = rest.prefix { $0 != "=" && $0 != "," && $0 != " " }
            result += word
            rest = rest[word.endIndex...]
            if rest.first == "=", rest.dropFirst().first != "=", rest.count > 1 {
                result += "="
                let (secret, after) = Self.parameterValue(rest.dropFirst())
                result += replacement(of: secret, named: word)
                rest = after
            } else if rest.first == " ", let token = Self.token68(rest.dropFirst()) {
                result += " " + replacement(of: token, named: name)
                rest = rest[token.endIndex...]
            } else if let first = rest.first {
                result.append(first)
                rest = rest.dropFirst()
            }
        }
        return result
    }

    private static func parameterValue(_ text: Substring) -> (Substring, rest: Substring) {
        guard text.first == "\"" else {
            let value = text.prefix { $0 != "," && $0 != " " }
            return (value, text[value.endIndex...])
        }
        let end = quoted(text.dropFirst(), "\"").endIndex
        let index = end < text.endIndex ? text.index(after: end) : end
        return (text[..<index], text[index...])
    }

    /// `Negotiate abc==`: a whole word with nothing but padding after its first `=`.
    private static func token68(_ text: Substring) -> Substring? {
        let word = text.prefix { $0 != "," && $0 != " " }
        guard !word.isEmpty, let equals = word.firstIndex(of: "=") else { return word.isEmpty ? nil : word }
        return word[equals...].allSatisfy { $0 == "=" } ? word : nil
    }

    private mutating func link(_ value: String) -> String {
        var result = ""
        var rest = Substring(value)
        while let open = rest.firstIndex(of: "<"), let close = rest[open...].firstIndex(of: ">") {
            result += rest[...open]
            result += url(String(rest[rest.index(after: open)..<close])) + ">"
            rest = rest[rest.index(after: close)...]
        }
        return result + rest
    }

    private mutating func refresh(_ value: String) -> String {
        guard let equals = value.firstIndex(of: "=") else { return value }
        return value[...equals] + url(String(value[value.index(after: equals)...]))
    }
}
