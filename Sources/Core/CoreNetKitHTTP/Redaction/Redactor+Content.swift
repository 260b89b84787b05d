package import CoreNetKitEssentials

extension Redactor {
    /// The beginning of content, up to `limit` bytes, on one line without secrets; only type and size if it may have more.
    package mutating func excerpt(_ content: Data, type: String?, limit: Int) -> String {
        let start = content.start(limit)
        showsTexts = true
        guard let shown = body(start, type: type, limit: .max, isCut: start.count < content.count) else {
            return Self.omission(type: type, size: Int64(content.count))
        }
        return Self.line(shown, limit: limit, isCut: start.count < content.count)
    }

    package static func omission(type: String?, size: Int64?) -> String {
        let size = size.map { ", \($0) bytes" } ?? ", streamed"
        return "(\((type ?? "").isEmpty ? "no type" : type ?? "")\(size): not shown)"
    }

    package static func line(_ content: Data, limit: Int, isCut: Bool = false) -> String {
        let lines = String(decoding: content.start(limit), as: UTF8.self).split(whereSeparator: \.isNewline)
        let text = lines.map { $0.drop { $0 == " " || $0 == "\t" } }.joined(separator: " ")
        return isCut || content.count > limit ? text + "…" : text
    }

    /// A text without its secrets; `nil` if its type does not show where they are, as HTML with its scripts.
    mutating func text(_ body: Data, media: String, isCut: Bool) -> String? {
        guard var text = String(validating: body, as: UTF8.self) else { return nil }
        if Self.isDocument(text) { return String(decoding: json(body), as: UTF8.self) }
        let isXML = media == "text/xml" || media == "application/xml" || media.hasSuffix("+xml")
        guard isXML && !media.contains("xhtml") || media == "text/plain" || media == "text/event-stream" else {
            return nil
        }
        text = withoutTokens(text, isCut: isCut)
        // Half a word may not be recognised as a secret.
        if isCut { text = String(text[..<(text.lastIndex { $0.isWhitespace || $0 == ">" } ?? text.startIndex)]) }
        if isXML { return message(withoutSecretElements(text)) }
        // An empty line ends an event.
        return text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map { line($0) }
            .joined(separator: "\n")
    }

    /// A line such as `data: {…}`, or `password: …`, whose rest is removed.
    private mutating func line(_ line: Substring) -> String {
        var head = line
        if let start = line.firstIndex(where: { $0 == "{" || $0 == "[" }), Self.isDocument(String(line[start...])) {
            head = line[..<start]
        }
        for index in head.indices where head[index] == ":" || head[index] == "=" {
            let name = head[..<index].suffix(100).split {
                !$0.isLetter && !$0.isNumber && $0 != "_" && $0 != "-" && $0 != "."
            }.last
            let value = line[head.index(after: index)...]
            guard let name, isSecretMember(name), value.contains(where: { !$0.isWhitespace }) else { continue }
            return message(String(head[..<index])) + "\(head[index]) \(replacement(of: value, named: name))"
        }
        guard head.endIndex < line.endIndex else { return message(String(line)) }
        return message(String(head)) + String(decoding: json(Data(line[head.endIndex...].utf8)), as: UTF8.self)
    }

    /// XML without the content of elements that are named for secrets, other elements inside them included.
    private mutating func withoutSecretElements(_ text: String) -> String {
        var (result, rest) = ("", Substring(text))
        while let open = rest.firstIndex(of: "<"), let end = rest[open...].firstIndex(of: ">") {
            let tag = rest[rest.index(after: open)..<end].prefix { !$0.isWhitespace && $0 != "/" }
            let isEmpty = rest[rest.index(before: end)] == "/"
            result += rest[...end]
            rest = rest[rest.index(after: end)...]
            guard !isEmpty, let name = tag.split(separator: ":").last, isSecretMember(name) else { continue }
            let content = rest[..<(rest.firstRange(of: "</\(tag)")?.lowerBound ?? rest.endIndex)]
            if !content.isEmpty { result += replacement(of: content, named: name) }
            rest = rest[content.endIndex...]
        }
        return result + rest
    }
}

extension Data {
    /// The first bytes, at most `limit`, without a character cut in two; copied if there are more.
    package func start(_ limit: Int) -> Data {
        let limit = Swift.max(limit, 0)
        guard count > limit else { return self }
        // The first byte of a character is at most three bytes earlier.
        let end = startIndex + limit
        let cut = (Swift.max(end - 3, startIndex)...end).last { self[$0] & 0xC0 != 0x80 } ?? end
        return Data(self[startIndex..<cut])
    }
}
