import CoreNetKitEssentials
public import CoreNetKit
import CoreNetKitChain
import CoreNetKitHTTP

extension OutboxDelivery {
    /// Decodes the response as a model.
    ///
    /// - Parameter type: The model.
    /// - Returns: The model.
    /// - Throws: ``/CoreNetKit/NetworkError`` with code `emptyBody` or `decodingFailed`, or the failure of its content.
    public func model<O: DTODecodable & Sendable>(as type: O.Type = O.self) throws -> O
    where O.DTO.Raw: ResponsePayload {
        if let failure = response.contentFailure { throw NetworkError(failure, node: "Outbox") }
        do {
            return try O.from(dto: O.DTO.from(raw: O.DTO.Raw(response: response)))
        } catch let error as NetworkError {
            throw error
        } catch {
            throw NetworkError(.decodingFailed, "\(error)", node: "Outbox", cause: error)
        }
    }
}

extension OutboxReceipt {
    /// Waits until the request is delivered, while this process lives, and decodes the response as a model.
    ///
    /// - Parameter type: The model.
    /// - Returns: The model.
    /// - Throws: ``OutboxError`` when the entry ends otherwise, ``/CoreNetKit/NetworkError`` when decoding fails.
    public func delivery<O: DTODecodable & Sendable>(as type: O.Type) async throws -> O
    where O.DTO.Raw: ResponsePayload {
        try await delivery().model(as: type)
    }
}

extension Outbox {
    /// Registers a handler that gets responses as models, including those to requests of earlier processes; see ``on(_:_:)``.
    ///
    /// - Parameters:
    ///   - kind: The kind given to `enqueue`.
    ///   - type: The model.
    ///   - handler: Gets each entry, and its response or the decoding error.
    public func on<O: DTODecodable & Sendable>(
        _ kind: String,
        as type: O.Type,
        _ handler: @escaping @Sendable (OutboxEntry, Result<O, any Error>) async -> Void
    ) async where O.DTO.Raw: ResponsePayload {
        await on(kind) { delivery in
            await handler(delivery.entry, Result { try delivery.model(as: type) })
        }
    }
}
