#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension TransportRequest {
    /// Refuses a request that cannot be put on a wire, or that would put more on it than it says.
    ///
    /// - Throws: ``TransportError`` with code `invalidRequest`, naming what is wrong and never its value.
    package func validate() throws(TransportError) {
        try checkURL()
        try checkMethod()
        for field in headers { try check(field) }
        try check(timeouts.connect, "connect")
        try check(timeouts.firstByte, "firstByte")
        try check(timeouts.idle, "idle")
        try check(timeouts.total, "total")
    }

    private func checkURL() throws(TransportError) {
        let scheme = url.scheme.map { $0.lowercased() }
        let isHTTP = scheme == "http" || scheme == "https"
        let isVisible = url.absoluteString.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F }
        guard isHTTP, isVisible, let host = url.host, !host.isEmpty else {
            throw invalid("the URL is not an absolute http or https URL with a host")
        }
    }

    private func checkMethod() throws(TransportError) {
        guard FieldGrammar.isToken(method.rawValue) else {
            throw invalid("the method is not a token of letters, digits and !#$%&'*+-.^_`|~")
        }
        guard method != .connect else { throw invalid("CONNECT is made by the transport itself; configure a proxy") }
    }

    private func check(_ field: Headers.Field) throws(TransportError) {
        guard FieldGrammar.isToken(field.name) else {
            throw invalid("the header name \"\(FieldGrammar.shown(field.name))\" is not a token of RFC 9110")
        }
        guard FieldGrammar.isValue(field.value) else {
            throw invalid("the header \(field.name) has a line break or another control character in its value")
        }
        for name in FieldGrammar.reserved where Headers.matches(field.name, name) {
            throw invalid("the header \(name) is set by the transport; leave it out")
        }
    }

    private func check(_ limit: Duration?, _ name: String) throws(TransportError) {
        guard let limit, limit <= .zero else { return }
        throw invalid("the timeout \(name) is not above zero; nil means no limit")
    }

    private func invalid(_ message: String) -> TransportError {
        TransportError(.invalidRequest, phase: .queue, message: message)
    }
}

/// What RFC 9110, 5 allows in names and values.
private enum FieldGrammar {
    static let reserved = ["Host", "Content-Length", "Transfer-Encoding"]

    static func isToken(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { isTokenByte($0) }
    }

    /// Whether the value has nothing that ends a line or a C string.
    static func isValue(_ text: String) -> Bool {
        text.utf8.allSatisfy { ($0 >= 0x20 && $0 != 0x7F) || $0 == 0x09 }
    }

    /// A name as it may stand in a log: short, one line.
    static func shown(_ name: String) -> String {
        String(String.UnicodeScalarView(name.unicodeScalars.prefix(40).map { $0.value < 0x20 ? "?" : $0 }))
    }

    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }
}
