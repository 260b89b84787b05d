import CoreNetKitEssentials

extension JsonCoding.Keys {
    /// The name in JSON of a property.
    package func encoded(_ name: String) -> String {
        switch form {
        case .asWritten: name
        case .snakeCase: name.snakeCase
        case .custom(let custom): custom.encode(name)
        }
    }

    /// The name of a property for one in JSON.
    func decoded(_ name: String) -> String {
        switch form {
        case .asWritten: name
        case .snakeCase: name.camelCase
        case .custom(let custom): custom.decode(name)
        }
    }
}

extension String {
    /// `first_name` as `firstName`, the way `JSONDecoder` does it: underscores at the ends stay, and a name without
    /// others stays as it is.
    var camelCase: String {
        guard let first = firstIndex(where: { $0 != "_" }), let last = lastIndex(where: { $0 != "_" }) else {
            return self
        }
        let words = self[first...last].split(separator: "_")
        guard words.count > 1 else { return self }
        let name = words[0].lowercased() + words.dropFirst().map(\.capitalized).joined()
        return self[..<first] + name + self[index(after: last)...]
    }

    /// `firstName` as `first_name`, the way `JSONEncoder` does it: a word begins at each capital, but of several in a row
    /// only at the first and at the one that a small letter follows.
    var snakeCase: String {
        guard var start = indices.first else { return self }
        var words: [Substring] = []
        var rest = index(after: start)
        while let capital = self[rest...].firstIndex(where: \.isUppercase) {
            words.append(self[start..<capital])
            start = capital
            guard let small = self[capital...].firstIndex(where: \.isLowercase) else { break }
            let last = index(before: small)
            if last > capital {
                words.append(self[capital..<last])
                start = last
            }
            rest = index(after: small)
        }
        words.append(self[start...])
        return words.map { $0.lowercased() }.joined(separator: "_")
    }
}
