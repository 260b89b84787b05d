public import CoreNetKitHTTP

extension TransportResponse {
    /// A redirect that is about to be followed.
    public struct Redirect: Sendable {
        /// The status of the redirect: 301, 302, 303, 307 or 308.
        public let status: Int
        /// The header fields of the redirect.
        public let headers: Headers
        /// The request that was redirected.
        public let request: TransportRequest
        /// The request that would follow: method and content by RFC 9110, 15.4, without credentials on another origin.
        public let next: TransportRequest
        /// The number of the hop, from 1.
        public let number: Int

        /// How to handle a redirect.
        public enum Decision: Sendable {
            /// Follow it.
            case follow
            /// Do not follow it: the redirect is the response, which is an error like any other status outside 200...299.
            case stop
            /// Send this request instead; its fields are sent to its URL, credentials included.
            case modify(TransportRequest)
        }
    }
}
