/// Whether two settings are certainly the same: the same objects, equal values, or values composed of such.
///
/// Descriptions are not compared: a description may change, may be the same for different values, and may hide
/// differences; a closure has none. Values that cannot be compared count as different.
enum SettingEquality {
    static func isSame(_ left: Any, _ right: Any) -> Bool {
        guard type(of: left) == type(of: right) else { return false }
        if type(of: left) is AnyClass { return left as AnyObject === right as AnyObject }
        if let left = left as? any Equatable { return isEqual(left, right) }
        if let left = left as? [Any], let right = right as? [Any] {
            return left.count == right.count && zip(left, right).allSatisfy { isSame($0, $1) }
        }
        // A custom mirror need not show the real parts.
        if left is any CustomReflectable { return false }
        let (mirror, other) = (Mirror(reflecting: left), Mirror(reflecting: right))
        // A closure has no display style.
        guard let style = mirror.displayStyle, mirror.children.count == other.children.count else { return false }
        if style == .enum, mirror.children.isEmpty { return name(of: left).map { $0 == name(of: right) } ?? false }
        return zip(mirror.children, other.children).allSatisfy { $0.label == $1.label && isSame($0.value, $1.value) }
    }

    /// The name of a case, unless a custom description could hide it.
    private static func name(of value: Any) -> String? {
        value is any CustomStringConvertible || value is any CustomDebugStringConvertible
            ? nil : String(describing: value)
    }

    private static func isEqual<Value: Equatable>(_ left: Value, _ right: Any) -> Bool { right as? Value == left }
}
