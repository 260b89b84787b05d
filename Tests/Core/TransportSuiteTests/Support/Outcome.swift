import TestSupport

/// What a call came to, in a form by which transports can be compared.
enum Outcome: Equatable, Sendable, CustomStringConvertible {
    case response(Int, String)
    case failure(TransportError.Code)
    case cancelled
    case other(String)

    init(_ call: () async throws -> TransportResponse) async {
        do {
            let response = try await call()
            let body = try await response.body.collect()
            self = .response(response.status, String(decoding: body, as: UTF8.self))
        } catch let error as TransportError {
            self = .failure(error.code)
        } catch is CancellationError {
            self = .cancelled
        } catch {
            self = .other(String(describing: error))
        }
    }

    var description: String {
        switch self {
        case .response(let status, let body): "\(status) \"\(body.prefix(60))\""
        case .failure(let code): code.description
        case .cancelled: "cancelled"
        case .other(let text): text
        }
    }

    /// Expects the usual outcome, or the other one where the transport is known to differ: a later one may not.
    func expect(
        _ usual: Outcome,
        for subject: Subject,
        except difference: Difference? = nil,
        _ other: Outcome? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        if let difference, let other, subject.differs(difference), self == other { return }
        #expect(self == usual, "\(subject.rawValue)", sourceLocation: sourceLocation)
    }
}
