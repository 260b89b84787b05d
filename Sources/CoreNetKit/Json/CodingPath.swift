extension [any CodingKey] {
    /// The path as one reads it: `users[3].photos[0].ref`.
    var jsonPath: String {
        reduce(into: "") { path, key in
            if let index = key.intValue {
                path += "[\(index)]"
            } else {
                path += (path.isEmpty ? "" : ".") + key.stringValue
            }
        }
    }
}
