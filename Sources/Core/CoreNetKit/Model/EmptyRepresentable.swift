/// A model with a value for "no content", used if the status says that there is none (204, 205).
protocol EmptyRepresentable {
    static var ofNoContent: Self { get }
}

extension Array: EmptyRepresentable {
    static var ofNoContent: [Element] { [] }
}

extension Set: EmptyRepresentable {
    static var ofNoContent: Set<Element> { [] }
}

extension Dictionary: EmptyRepresentable {
    static var ofNoContent: [Key: Value] { [:] }
}

extension Optional: EmptyRepresentable, OptionalRepresentable {
    static var ofNoContent: Wrapped? { nil }
    static var ofNothing: Wrapped? { nil }
}

/// A model that is `nil` if there is no content, whatever the status.
protocol OptionalRepresentable {
    static var ofNothing: Self { get }
}
