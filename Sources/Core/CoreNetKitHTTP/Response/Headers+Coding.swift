extension Headers {
    /// Whether the fields say that the content is compressed; other names in `Content-Encoding`, such as a charset or
    /// `aws-chunked`, do not count.
    package var isCompressed: Bool {
        self[values: "Content-Encoding"].contains { value in
            value.lowercased().split(whereSeparator: { ", \t".contains($0) })
                .contains { ["gzip", "x-gzip", "deflate", "br", "zstd"].contains($0) }
        }
    }
}
