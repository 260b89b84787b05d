/// A model with a value for "no content", used if the status says that there is none (204, 205).
protocol EmptyRepresentable {
    static var noContentValue: Self { get }
}

extension Array: EmptyRepresentable {
    static var noContentValue: [Element] { [] }
}

extension Set: EmptyRepresentable {
    static var noContentValue: Set<Element> { [] }
}

extension Dictionary: EmptyRepresentable {
    static var noContentValue: [Key: Value] { [:] }
}

extension Optional: EmptyRepresentable, OptionalRepresentable {
    static var noContentValue: Wrapped? { nil }
    static var blankValue: Wrapped? { nil }
}

/// A model that is `nil` if there is no content, whatever the status.
protocol OptionalRepresentable {
    static var blankValue: Self { get }
}
