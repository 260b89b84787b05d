#if os(Linux)
    import Runtime

    /// The nodes whose `process` runs right now, from the caller to whoever asks: what a breakpoint there would show.
    enum RunningNodes {
        /// What is loaded; found out once, for it takes long.
        private static let images = ImageMap.capture()

        /// Their types, read off the stack of the task.
        static func names() throws -> [String] {
            let frames =
                try Backtrace.capture(limit: 2_000, top: 0, images: images)
                .symbolicated(with: images, options: .useSymbolCache)?.frames ?? []
            let names = frames.compactMap { frame -> String? in
                guard let name = frame.symbol?.name, !name.hasPrefix("protocol witness"),
                    let match = name.firstMatch(of: /([A-Za-z]+)(<[^.]*>)?\.process\(_:context:\)/)
                else { return nil }
                return String(match.1)
            }
            // One function may have several frames.
            return names.reversed().reduce(into: []) { if $0.last != $1 { $0.append($1) } }
        }
    }
#endif
