extension [any CodingKey] {
    /// The path in readable form: `users[3].photos[0].ref`.
    package var jsonPath: String {
        reduce(into: "") { path, key in
            if let index = key.intValue {
                path += "[\(index)]"
            } else {
                path += (path.isEmpty ? "" : ".") + key.stringValue
            }
        }
    }
}

extension Error {
    /// The error of a value as an error of its container.
    package func under(_ key: any CodingKey) -> any Error {
        func context(_ context: DecodingError.Context) -> DecodingError.Context {
            .init(
                codingPath: [key] + context.codingPath,
                debugDescription: context.debugDescription,
                underlyingError: context.underlyingError
            )
        }
        guard let error = self as? DecodingError else { return self }
        return switch error {
        case .typeMismatch(let type, let old): DecodingError.typeMismatch(type, context(old))
        case .valueNotFound(let type, let old): DecodingError.valueNotFound(type, context(old))
        case .keyNotFound(let key, let old): DecodingError.keyNotFound(key, context(old))
        case .dataCorrupted(let old): DecodingError.dataCorrupted(context(old))
        @unknown default: error
        }
    }
}
