public import CoreNetKitEssentials

/// The parameters of a page, from the path and the query of a link.
///
/// Parameters with a type are in canonical form, regardless of the URL: `int` as `Int` prints it, `uuid` in upper case,
/// `bool` as `true` or `false`.
public struct DeepLinkParameters: Sendable, Hashable, ExpressibleByDictionaryLiteral {
    /// The parameters as text.
    public var values: [String: String]

    /// Creates parameters.
    ///
    /// - Parameter values: The parameters as text.
    public init(_ values: [String: String] = [:]) { self.values = values }

    /// Creates parameters; `nil` values are omitted.
    ///
    /// - Parameter elements: The parameters as text.
    public init(dictionaryLiteral elements: (String, String?)...) {
        values = Dictionary(elements.compactMap { name, text in text.map { (name, $0) } }) { _, last in last }
    }

    /// A parameter as text; `nil` if the link has no parameter of this name.
    public subscript(name: String) -> String? {
        get { values[name] }
        set { values[name] = newValue }
    }

    /// A parameter as a whole number.
    public func int(_ name: String) -> Int? { values[name].flatMap { Int($0) } }

    /// A parameter as a Boolean.
    public func bool(_ name: String) -> Bool? { values[name].flatMap { Bool($0) } }

    /// A parameter as a UUID.
    public func uuid(_ name: String) -> UUID? { values[name].flatMap { UUID(uuidString: $0) } }
}
