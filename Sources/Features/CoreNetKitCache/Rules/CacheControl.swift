package import CoreNetKitHTTP

/// The directives of `Cache-Control`, of a request or of a response, as a private cache reads them (RFC 9111, 5.2).
///
/// Of two equal directives the first one counts; an unreadable lifetime is zero; those of shared caches are ignored.
package struct CacheControl: Sendable, Hashable {
    /// Whether there was a field at all: `Pragma` counts only without one (RFC 9111, 5.4).
    package var isPresent = false
    package var noStore = false
    /// Also set by a list of fields: validating the whole response is the safest reading.
    package var noCache = false
    package var mustRevalidate = false
    package var mustUnderstand = false
    package var isPublic = false
    package var isPrivate = false
    package var immutable = false
    package var onlyIfCached = false
    package var maxAge: Int64?
    /// `Int64.max` for `max-stale` without a value.
    package var maxStale: Int64?
    package var minFresh: Int64?
    package var staleWhileRevalidate: Int64?
    package var staleIfError: Int64?

    package init() {}

    /// Parses the field lines of a message; a field with an unclosed quote forbids storing.
    package init(_ headers: Headers) {
        for field in headers where Headers.matches(field.name, "Cache-Control") {
            isPresent = true
            guard let members = FieldScanner.members(of: [field.value]) else {
                noStore = true
                continue
            }
            for member in members { read(member) }
        }
    }

    private mutating func read(_ member: String) {
        let equals = member.utf8.firstIndex(of: UInt8(ascii: "="))
        let name = member[..<(equals ?? member.endIndex)].lowercased()
        let value = equals.map { Self.unquoted(member[member.utf8.index(after: $0)...]) }
        switch name {
        case "no-store": noStore = true
        case "no-cache": noCache = true
        case "must-revalidate": mustRevalidate = true
        case "must-understand": mustUnderstand = true
        case "public": isPublic = true
        case "private": isPrivate = true
        case "immutable": immutable = true
        case "only-if-cached": onlyIfCached = true
        case "max-age": maxAge = maxAge ?? seconds(value)
        case "min-fresh": minFresh = minFresh ?? seconds(value)
        case "stale-while-revalidate": staleWhileRevalidate = staleWhileRevalidate ?? seconds(value)
        case "stale-if-error": staleIfError = staleIfError ?? seconds(value)
        case "max-stale": maxStale = maxStale ?? (value == nil ? .max : seconds(value))
        default: break
        }
    }

    private func seconds(_ value: String?) -> Int64 { value.flatMap { Self.seconds($0) } ?? 0 }

    /// A number of seconds, at most 2³¹; `nil` for anything but decimal digits (RFC 9111, 1.2.2).
    static func seconds(_ text: String) -> Int64? {
        guard !text.isEmpty, text.utf8.allSatisfy({ 0x30...0x39 ~= $0 }) else { return nil }
        return text.utf8.reduce(0) { min(1 << 31, $0 * 10 + Int64($1 - 0x30)) }
    }

    /// Both forms of an argument are accepted, whatever the directive defines (RFC 9111, 5.2).
    private static func unquoted(_ value: Substring) -> String {
        var scanner = FieldScanner(value)
        return scanner.quoted().flatMap { scanner.isAtEnd ? $0 : nil } ?? String(value)
    }
}
