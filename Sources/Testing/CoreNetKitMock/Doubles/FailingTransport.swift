public import CoreNetKitEssentials
public import CoreNetKitHTTP

/// A transport on which every exchange fails with the same error.
public struct FailingTransport: Transport {
    /// All capabilities, so that only the scripted error occurs.
    public var capabilities: TransportCapabilities {
        TransportCapabilities(TransportCapabilities.named.map(\.capability))
    }

    private let error: any Error

    /// Creates a transport that throws this error.
    public init(_ error: any Error) { self.error = error }

    /// Creates a transport that fails with this code, in the phase in which it usually happens.
    public init(_ code: TransportError.Code) {
        error = TransportError(code, phase: code.usualPhase, message: "as scripted")
    }

    /// Always the same: the transport sees only the request.
    public func clientIdentity(for url: URL) -> String? { "" }

    /// Throws the error; `CancellationError` when the task was cancelled.
    public func send(_ request: TransportRequest) async throws -> TransportResponse {
        try Task.checkCancellation()
        throw error
    }
}
