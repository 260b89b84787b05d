// Names of 0.2, each with a fix-it.

#if os(Linux)
    extension CurlTransport {
        /// The former name of ``CurlTransport/Statistics``.
        @available(*, deprecated, renamed: "CurlTransport.Statistics")
        public typealias Figures = CurlTransport.Statistics

        /// The former name of ``CurlTransport/statistics()``.
        @available(*, deprecated, renamed: "statistics()")
        public func figures() async -> CurlTransport.Statistics { await statistics() }
    }

    extension CurlTransport.Statistics {
        /// The former name of ``connectionsCreated``.
        @available(*, deprecated, renamed: "connectionsCreated")
        public var made: Int {
            get { connectionsCreated }
            set { connectionsCreated = newValue }
        }
    }
#endif
