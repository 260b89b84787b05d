#if os(Linux)
    import CNetCurl
    #if canImport(Musl)
        import Musl
    #else
        import Glibc
    #endif

    /// Lines in libcurl's form, for the lifetime of this object.
    ///
    /// `@unchecked Sendable`: it is immutable.
    final class TextList: @unchecked Sendable {
        let first: UnsafeMutablePointer<cnc_slist>?
        private let count: Int

        init(_ lines: [String]) {
            count = lines.count
            guard count > 0 else {
                first = nil
                return
            }
            let nodes = UnsafeMutablePointer<cnc_slist>.allocate(capacity: count)
            for (index, line) in lines.enumerated() {
                nodes[index] = cnc_slist(data: strdup(line), next: index + 1 < count ? nodes + index + 1 : nil)
            }
            first = nodes
        }

        deinit {
            for index in 0..<count { free(first?[index].data) }
            first?.deallocate()
        }
    }
#endif
