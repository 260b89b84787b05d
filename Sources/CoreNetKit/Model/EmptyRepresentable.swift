/// A model that stands for "no content" by itself, where the status says that there is none (204, 205).
protocol EmptyRepresentable {
    static var empty: Self { get }
}

extension Array: EmptyRepresentable {
    static var empty: [Element] { [] }
}

extension Set: EmptyRepresentable {
    static var empty: Set<Element> { [] }
}

extension Dictionary: EmptyRepresentable {
    static var empty: [Key: Value] { [:] }
}

extension Optional: EmptyRepresentable {
    static var empty: Wrapped? { nil }
}
