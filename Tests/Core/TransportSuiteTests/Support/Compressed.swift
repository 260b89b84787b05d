import TestSupport

enum Compressed {
    static let text = "hello, compressed world"

    /// One text in every encoding, made with gzip, zlib, zstd; brotli as one block that is not compressed.
    static let samples: [(encoding: String, bytes: [UInt8])] = [
        ("gzip", bytes("H4sIAAAAAAACA8tIzcnJ11FIzs8tKEotLk5NUSjPL8pJAQAInjQ1FwAAAA==")),
        ("deflate", bytes("eJzLSM3JyddRSM7PLShKLS5OTVEozy/KSQEAaLII3g==")),
        ("br", [0x0B, 0x0B, 0x80] + Array(text.utf8) + [0x03]),
        ("zstd", [40, 181, 47, 253, 0, 88, 185, 0, 0] + Array(text.utf8)),
    ]

    private static func bytes(_ base64: String) -> [UInt8] { [UInt8](Data(base64Encoded: base64) ?? Data()) }
}
