import CoreNetKitSystem

extension Redactor {
    /// A URL, absolute or not, without fragment and without the values of user info and of secret query items.
    package mutating func url(_ url: String) -> String { self.url(url, depth: 0) }

    private mutating func url(_ url: String, depth: Int) -> String {
        guard url.utf8.contains(where: { $0 == hash || $0 == question || $0 == at }) else { return url }
        var rest = Substring(url)
        if let index = rest.utf8.firstIndex(of: hash) { rest = rest[..<index] }
        let query = rest.utf8.firstIndex(of: question)
        let head = withoutUserInfo(rest[..<(query ?? rest.endIndex)])
        guard let query else { return head }
        return head + "?" + items(rest[rest.utf8.index(after: query)...], depth: depth)
    }

    /// The items of a query or form without the values of secret ones.
    package mutating func items(_ items: some StringProtocol) -> String { self.items(Substring(items), depth: 0) }

    private mutating func items(_ items: Substring, depth: Int) -> String {
        var result = ""
        var start = items.startIndex
        while true {
            let end = items[start...].utf8.firstIndex { $0 == ampersand || $0 == semicolon } ?? items.endIndex
            result += item(items[start..<end], depth: depth)
            guard end < items.endIndex else { return result }
            let next = items.utf8.index(after: end)
            result += items[end..<next]
            start = next
        }
    }

    private mutating func item(_ item: Substring, depth: Int) -> Substring {
        guard let equals = item.utf8.firstIndex(of: equalsSign) else {
            guard SecretLook.isSecret(item) else { return item }
            hint("a query item without a name")
            return Substring(urlReplacement(of: item, named: "item"))
        }
        let name = item[..<equals]
        let value = item[item.utf8.index(after: equals)...]
        guard !value.isEmpty else { return item }
        if SecretName.strength(name) != .none {
            return "\(name)=\(urlReplacement(of: value, named: PercentEncoding.decode(name)))"
        }
        if SecretLook.isSecret(PercentEncoding.decode(value)) {
            hint("the query item '\(name)'")
            return "\(name)=\(urlReplacement(of: value, named: name))"
        }
        // A URL inside of a URL has secrets of its own.
        guard depth < 3, value.utf8.contains(percent) || value.utf8.contains(question) else { return item }
        let decoded = PercentEncoding.decode(value, plusIsSpace: true)
        guard decoded.utf8.contains(where: { $0 == question || $0 == at || $0 == hash || $0 == equalsSign })
        else { return item }
        let inner =
            decoded.utf8.contains(question) || decoded.utf8.contains(at) || decoded.utf8.contains(hash)
            ? url(decoded, depth: depth + 1) : items(Substring(decoded), depth: depth + 1)
        return inner == decoded ? item : "\(name)=\(PercentEncoding.encode(inner, as: .component))"
    }

    private mutating func withoutUserInfo(_ head: Substring) -> String {
        guard head.utf8.contains(at), let slashes = head.firstRange(of: "//") else { return String(head) }
        let authority = head[slashes.upperBound...].prefix { $0 != "/" && $0 != "\\" }
        guard let at = authority.lastIndex(of: "@") else { return String(head) }
        let info = authority[..<at]
        let shown: String
        if let colon = info.firstIndex(of: ":") {
            let user = urlReplacement(of: info[..<colon], named: "user")
            shown = "\(user):\(urlReplacement(of: info[info.index(after: colon)...], named: "password"))"
        } else {
            shown = urlReplacement(of: info, named: "user")
        }
        return "\(head[..<slashes.upperBound])\(shown)\(head[at...])"
    }
}

private let hash = UInt8(ascii: "#")
private let question = UInt8(ascii: "?")
private let at = UInt8(ascii: "@")
private let percent = UInt8(ascii: "%")
private let ampersand = UInt8(ascii: "&")
private let semicolon = UInt8(ascii: ";")
private let equalsSign = UInt8(ascii: "=")
