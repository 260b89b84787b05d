import CoreNetKitEssentials
package import CoreNetKitHTTP

/// The value of a `Repr-Digest` field: digests of the complete content, also in a response with a part of it.
///
/// - SeeAlso: [RFC 9530](https://www.rfc-editor.org/rfc/rfc9530)
package enum ReprDigest {
    /// The SHA-256 of the complete content; `nil` if the fields have no readable one.
    package static func sha256(in headers: Headers) -> [UInt8]? {
        var found: [UInt8]?
        for field in headers[values: "Repr-Digest"] {
            for member in field.split(separator: ",") {
                let pair = member.split(separator: "=", maxSplits: 1).map { $0.filter { $0 != " " && $0 != "\t" } }
                guard pair.count == 2, pair[0] == "sha-256" else { continue }
                // A byte sequence is enclosed in colons; parameters may follow it.
                let parts = pair[1].split(separator: ":", omittingEmptySubsequences: false)
                guard parts.count >= 3, parts[0].isEmpty, let bytes = Data(base64Encoded: String(parts[1])),
                    bytes.count == 32
                else { continue }
                // If a name occurs twice, the last member counts.
                found = Array(bytes)
            }
        }
        return found
    }
}
