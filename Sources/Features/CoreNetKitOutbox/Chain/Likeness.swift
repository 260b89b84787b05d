/// Whether two settings are the same for certain: the same objects, equal values, or values that are made of such.
///
/// It does not compare descriptions: a description may change, may be shared by different values, and may hide
/// differences; a closure has none. Values that cannot be compared are not the same.
enum Likeness {
    static func isSame(_ left: Any, _ right: Any) -> Bool {
        guard type(of: left) == type(of: right) else { return false }
        if type(of: left) is AnyClass { return left as AnyObject === right as AnyObject }
        if let left = left as? any Equatable { return isEqual(left, right) }
        if let left = left as? [Any], let right = right as? [Any] {
            return left.count == right.count && zip(left, right).allSatisfy { isSame($0, $1) }
        }
        // What it shows is not what it is made of.
        if left is any CustomReflectable { return false }
        let (mirror, other) = (Mirror(reflecting: left), Mirror(reflecting: right))
        // A closure has no style.
        guard let style = mirror.displayStyle, mirror.children.count == other.children.count else { return false }
        if style == .enum, mirror.children.isEmpty { return name(of: left).map { $0 == name(of: right) } ?? false }
        return zip(mirror.children, other.children).allSatisfy { $0.label == $1.label && isSame($0.value, $1.value) }
    }

    /// The name of a case, where it says no other one.
    private static func name(of value: Any) -> String? {
        value is any CustomStringConvertible || value is any CustomDebugStringConvertible
            ? nil : String(describing: value)
    }

    private static func isEqual<Value: Equatable>(_ left: Value, _ right: Any) -> Bool { right as? Value == left }
}
