import TestSupport

enum Compressed {
    static let text = "hello, compressed world"

    /// One text in every encoding, made with gzip, zlib, zstd; brotli as one block that is not compressed.
    static let samples: [(encoding: String, bytes: [UInt8])] = [
        (
            "gzip",
            [
                31, 139, 8, 0, 0, 0, 0, 0, 2, 3, 203, 72, 205, 201, 201, 215, 81, 72, 206, 207, 45, 40, 74, 45, 46, 78,
                77, 81, 40, 207, 47, 202, 73, 1, 0, 8, 158, 52, 53, 23, 0, 0, 0,
            ]
        ),
        (
            "deflate",
            [
                120, 156, 203, 72, 205, 201, 201, 215, 81, 72, 206, 207, 45, 40, 74, 45, 46, 78, 77, 81, 40, 207, 47,
                202, 73, 1, 0, 104, 178, 8, 222,
            ]
        ),
        ("br", [0x0B, 0x0B, 0x80] + Array(text.utf8) + [0x03]),
        ("zstd", [40, 181, 47, 253, 0, 88, 185, 0, 0] + Array(text.utf8)),
    ]
}
