package import CoreNetKitEssentials
package import CoreNetKitHTTP

/// One request of an upload.
package struct UploadStep: Sendable, Equatable {
    package enum Purpose: Sendable, Equatable { case create, queryOffset, append, terminate }

    package let purpose: Purpose
    package let method: HTTPMethod
    /// `nil` for the URL of the chain's route.
    package let url: URL?
    package var headers: Headers
    /// The bytes of the content that it carries.
    package let body: Range<Int>
}

extension UploadStep {
    /// The request that terminates an upload.
    static func end(of location: URL, _ method: UploadMethod) -> UploadStep {
        UploadStep(
            purpose: .terminate,
            method: .delete,
            url: location,
            headers: UploadStepper.version(of: method.kind),
            body: 0..<0
        )
    }
}

/// The response to a step.
package struct UploadReply: Sendable {
    package var status: Int
    package var headers: Headers
    package var interim: [InterimResponse]
    package var url: URL

    package init(status: Int, headers: Headers, interim: [InterimResponse] = [], url: URL) {
        (self.status, self.headers, self.interim, self.url) = (status, headers, interim, url)
    }
}
