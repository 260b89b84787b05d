import CoreNetKitEssentials

/// Equality by value: numbers by their numeric value, objects regardless of order. Strings are equal as Swift's are.
extension Json: Hashable {
    /// Compares two values; both are parsed if they were not yet.
    ///
    /// - Parameters:
    ///   - left: One value.
    ///   - right: The other value.
    /// - Returns: Whether they are equal.
    public static func == (left: Json, right: Json) -> Bool {
        switch (left.tree, right.tree) {
        case (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.integer(let left), .integer(let right)): left == right
        case (.integer(let left), .number(let right)): JsonNumber(right).integer() == left
        case (.number(let left), .integer(let right)): JsonNumber(left).integer() == right
        case (.number(let left), .number(let right)): left == right || JsonNumber(left) == JsonNumber(right)
        case (.string(let left), .string(let right)): left == right
        case (.array(let left), .array(let right)): left == right
        case (.object(let left), .object(let right)): left == right
        case (nil, nil): left.unread == right.unread
        default: false
        }
    }

    /// Hashes what ``==(_:_:)`` compares.
    ///
    /// - Parameter hasher: The hasher to use.
    public func hash(into hasher: inout Hasher) {
        switch tree {
        case .null: hasher.combine(0)
        case .bool(let value): hasher.combine(value)
        case .integer(let integer): hasher.combine(integer)
        case .number(let text):
            let number = JsonNumber(text)
            if let integer: Int64 = number.integer() { hasher.combine(integer) } else { hasher.combine(number) }
        case .string(let text): hasher.combine(text)
        case .array(let elements): hasher.combine(elements)
        case .object(let object): hasher.combine(object)
        case .source, .model, nil: hasher.combine(unread)
        }
    }

    /// Bytes that are not JSON, which can still be compared.
    private var unread: Data? {
        switch storage {
        case .source(let source): source.bytes
        case .model(let model): Data("\(model.model)".utf8)
        default: nil
        }
    }
}
