/// Comparison of entity tags, which are stored as they were sent (RFC 9110, 8.8.3.2).
package enum EntityTag {
    /// Whether the tag promises that the bytes are the same.
    package static func isStrong(_ tag: String) -> Bool { !tag.isEmpty && !tag.hasPrefix("W/") }

    /// Whether both are strong and the same.
    package static func matchesStrongly(_ left: String, _ right: String) -> Bool { isStrong(left) && left == right }

    /// Whether both are equal, ignoring weakness.
    package static func matchesWeakly(_ left: String, _ right: String) -> Bool {
        !left.isEmpty && opaque(left) == opaque(right)
    }

    private static func opaque(_ tag: String) -> Substring { tag.hasPrefix("W/") ? tag.dropFirst(2) : tag[...] }
}
