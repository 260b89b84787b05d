import CoreNetKitSystem

extension Redactor {
    /// A URL, absolute or not, without fragment and without the values of user info and of secret query items; if it is
    /// cut, its end is missing.
    package mutating func url(_ url: String, isCut: Bool = false, depth: Int = 0) -> String {
        let url = UnixSocket.isNamed(in: url) ? socket(url, depth: depth) : url
        guard isCut || url.utf8.contains(where: { $0 == hash || $0 == question || $0 == at || $0 == semicolon })
        else { return withoutTokens(url, isURL: true) }
        var rest = Substring(url)
        if let index = rest.utf8.firstIndex(of: hash) { rest = rest[..<index] }
        let query = rest.utf8.firstIndex(of: question)
        let head = path(withoutUserInfo(rest[..<(query ?? rest.endIndex)], isCut: isCut && query == nil), depth: depth)
        guard let query else { return withoutTokens(head, isCut: isCut, isURL: true) }
        let items = items(rest[rest.utf8.index(after: query)...], depth: depth)
        return withoutTokens(head + "?" + items, isCut: isCut, isURL: true)
    }

    /// A URL through a Unix domain socket; names in the socket's path are treated like items.
    private mutating func socket(_ url: String, depth: Int) -> String {
        let start = url.utf8.firstIndex(of: slash).map { url.utf8.index($0, offsetBy: 2) } ?? url.endIndex
        let end = url.utf8[start...].firstIndex { $0 == slash || $0 == question || $0 == hash } ?? url.endIndex
        let names = PercentEncoding.decode(url[start..<end]).split(separator: "/", omittingEmptySubsequences: false)
        let shown = names.map { String(item($0, depth: depth)) }.joined(separator: "/")
        return url[..<start] + PercentEncoding.encode(shown, as: .component) + url[end...]
    }

    /// The items of a query or form without the values of secret ones.
    package mutating func items(_ items: some StringProtocol) -> String {
        let shown = self.items(Substring(items), depth: 0)
        return withoutTokens(shown, isURL: true)
    }

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
            guard isSecret(value: item, at: "a query item without a name") else { return item }
            return Substring(urlReplacement(of: item, named: "item"))
        }
        let name = item[..<equals]
        let value = item[item.utf8.index(after: equals)...]
        guard !value.isEmpty else { return item }
        if isSecret(item: name) {
            return "\(name)=\(urlReplacement(of: value, named: PercentEncoding.decode(name)))"
        }
        if isSecret(value: PercentEncoding.decode(value), at: "the query item '\(name)'") {
            return "\(name)=\(urlReplacement(of: value, named: name))"
        }
        // A nested URL may contain secrets.
        guard depth < Self.mostDepth, value.utf8.contains(where: { $0 == percent || $0 == question || $0 == brace })
        else { return item }
        let decoded = PercentEncoding.decode(value, plusIsSpace: true)
        if Self.isDocument(decoded) {
            let inner = self.inner(decoded, depth: depth + 1)
            return inner.map { "\(name)=\(PercentEncoding.encode($0, as: .component))" } ?? item
        }
        guard decoded.utf8.contains(where: { $0 == question || $0 == at || $0 == hash || $0 == equalsSign })
        else { return item }
        let inner =
            decoded.utf8.contains(question) || decoded.utf8.contains(at) || decoded.utf8.contains(hash)
            ? url(decoded, depth: depth + 1) : items(Substring(decoded), depth: depth + 1)
        return inner == decoded ? item : "\(name)=\(PercentEncoding.encode(inner, as: .component))"
    }

    /// The items after semicolons in a path: `/cart;jsessionid=1/2`.
    private mutating func path(_ head: String, depth: Int) -> String {
        guard head.utf8.contains(semicolon) else { return head }
        var result = ""
        var rest = Substring(head)
        while let mark = rest.utf8.firstIndex(of: semicolon) {
            let start = rest.utf8.index(after: mark)
            let end = rest[start...].utf8.firstIndex { $0 == semicolon || $0 == slash } ?? rest.endIndex
            result += rest[..<start] + item(rest[start..<end], depth: depth)
            rest = rest[end...]
        }
        return result + rest
    }

    private mutating func withoutUserInfo(_ head: Substring, isCut: Bool) -> String {
        guard isCut || head.utf8.contains(at), let slashes = head.firstRange(of: "//") else { return String(head) }
        let authority = head[slashes.upperBound...].prefix { $0 != "/" && $0 != "\\" }
        // A truncated part may be the beginning of a user or a password.
        if isCut, authority.endIndex == head.endIndex, !authority.isEmpty {
            return "\(head[..<slashes.upperBound])\(urlReplacement(of: authority, named: "user"))"
        }
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
private let slash = UInt8(ascii: "/")
private let brace = UInt8(ascii: "{")
private let percent = UInt8(ascii: "%")
private let ampersand = UInt8(ascii: "&")
private let semicolon = UInt8(ascii: ";")
private let equalsSign = UInt8(ascii: "=")
