import CoreNetKitEssentials

extension JsonCoding.Keys {
    /// The JSON name of a property.
    package func encoded(_ name: String) -> String {
        switch form {
        case .asWritten: name
        case .snakeCase: name.snakeCase
        case .custom(let custom): custom.encode(name)
        }
    }

    /// The property name for a JSON name.
    func decoded(_ name: String) -> String {
        switch form {
        case .asWritten: name
        case .snakeCase: name.camelCase
        case .custom(let custom): custom.decode(name)
        }
    }
}

extension String {
    /// `first_name` as `firstName`, as `JSONDecoder` does it: underscores at the ends stay, and a name without others
    /// is unchanged.
    var camelCase: String {
        guard let first = firstIndex(where: { $0 != "_" }), let last = lastIndex(where: { $0 != "_" }) else {
            return self
        }
        let words = self[first...last].split(separator: "_")
        guard words.count > 1 else { return self }
        let name = words[0].lowercased() + words.dropFirst().map(\.capitalized).joined()
        return self[..<first] + name + self[index(after: last)...]
    }

    /// `firstName` as `first_name`, as `JSONEncoder` does it: a word begins at each capital, but in a row of capitals
    /// only at the first, and at the one before a lower-case letter.
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
