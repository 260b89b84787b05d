#if os(Linux)
    import CoreNetKitCurl
    import TestSupport
    import TestPrograms

    enum ExchangeOutcome: Equatable, Sendable, CustomStringConvertible {
        struct Response: Equatable, Sendable {
            var status: Int
            var reason: String
            var fields: [String]
            var content: Data
            var trailers: [String]
            var interim: [Int]
            var isDelimited: Bool
            var isDecoded: Bool
            /// Of content that has failed after the head of a refusal.
            var failure: TransportError.Code?
        }

        case response(Response)
        case failure(TransportError.Code)
        case other(String)

        init(_ request: TransportRequest, _ transport: CurlTransport) async {
            do {
                let response = try await transport.send(request)
                let content = try await response.body.collect()
                var trailers = response.trailers
                if case .stream(let stream) = response.body { trailers = stream.ending?.trailers ?? [:] }
                self = .response(
                    Response(
                        status: response.status,
                        reason: response.reason,
                        fields: response.headers.map { "\($0.name): \($0.value)" },
                        content: content,
                        trailers: trailers.map { "\($0.name): \($0.value)" },
                        interim: response.interim.map(\.status),
                        isDelimited: response.isDelimited,
                        isDecoded: response.isDecoded,
                        failure: response.contentFailure?.code
                    )
                )
            } catch let error as TransportError {
                self = .failure(error.code)
            } catch { self = .other("\(error)") }
        }

        var code: TransportError.Code? {
            switch self {
            case .response(let response): response.failure
            case .failure(let code): code
            case .other: nil
            }
        }

        var description: String {
            switch self {
            case .failure(let code): "\(code)"
            case .other(let text): text
            case .response(let response):
                "\(response.status) \"\(String(decoding: response.content.prefix(30), as: UTF8.self))\""
                    + " \(response.fields.joined(separator: "|").prefix(80)) trailers \(response.trailers)"
                    + " interim \(response.interim)\(response.isDelimited ? "" : " not delimited")"
            }
        }
    }

    // Texts with one scalar for each byte.
    extension String {
        init(scalars bytes: Data) { self.init(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) })) }

        var scalarBytes: [UInt8] { unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) } }
    }

    extension RequestBody {
        /// A sequence of these; `opened` counts how often it was begun.
        static func chunks(
            _ chunks: [Data],
            length: Int64? = nil,
            isReplayable: Bool = false,
            opened: Locked<Int> = Locked(0)
        ) -> RequestBody {
            .stream(length: length, isReplayable: isReplayable) {
                _ = opened.next()
                return AsyncThrowingStream { stream in
                    for chunk in chunks { stream.yield(chunk) }
                    stream.finish()
                }
            }
        }

        /// A sequence that asks for one piece after the other, by number, from 1.
        static func pieces(
            length: Int64? = nil,
            isReplayable: Bool = false,
            _ piece: @escaping @Sendable (_ number: Int) async throws -> Data?
        ) -> RequestBody {
            .stream(length: length, isReplayable: isReplayable) {
                let asked = Locked(0)
                return AsyncThrowingStream(unfolding: { try await piece(asked.next()) })
            }
        }
    }

    extension Trait where Self == ConditionTrait {
        static var needsNginx: Self { .enabled(if: NginxServer.isInstalled, "needs /usr/sbin/nginx and openssl") }
    }

    extension CurlTransport {
        static func made(_ change: (inout Configuration) -> Void = { _ in }) -> CurlTransport {
            var configuration = Configuration()
            change(&configuration)
            return CurlTransport(configuration: configuration)
        }

        static func trusting(
            _ nginx: NginxServer,
            _ socket: String = "tls",
            _ change: (inout Configuration) -> Void = { _ in }
        ) throws -> CurlTransport {
            try HTTPChoice(version: .automatic).trusting {
                $0.unixSocket = nginx.path(socket)
                change(&$0)
            }
        }

        func stream(_ request: TransportRequest) async throws -> ResponseStream {
            var request = request
            request.delivery = .stream
            guard case .stream(let stream) = try await send(request).body else { throw CancellationError() }
            return stream
        }

        /// Begins a request beside what follows.
        func call(_ url: URL, _ limits: Timeouts = .init()) -> Task<TransportResponse, any Error> {
            Task { try await send(TransportRequest(url: url, timeouts: limits)) }
        }

        func error(of request: TransportRequest, at place: SourceLocation = #_sourceLocation) async -> TransportError? {
            await #expect(throws: TransportError.self, sourceLocation: place) { try await send(request) }
        }
    }

    /// Which versions a transport speaks: HTTP/1.1 alone, or what TLS agrees on.
    struct HTTPChoice: Sendable, CustomTestStringConvertible {
        let version: CurlTransport.Configuration.HTTPVersion

        static let all = [HTTPChoice(version: .http1), HTTPChoice(version: .automatic)]

        var testDescription: String { "\(version)" }

        func transport(_ change: (inout CurlTransport.Configuration) -> Void = { _ in }) -> CurlTransport {
            .made {
                $0.httpVersion = version
                change(&$0)
            }
        }

        /// One that trusts the authority of the tests.
        func trusting(_ change: (inout CurlTransport.Configuration) -> Void) throws -> CurlTransport {
            let authorities = try TestCertificates.shared.get().data("ca.pem")
            return transport {
                $0.tls.authorities = .pem(authorities)
                change(&$0)
            }
        }
    }
#endif
