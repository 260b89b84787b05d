import CoreNetKitHTTP

import CoreNetKitEssentials

extension TransportConformance {
    /// A transport under test.
    package struct Bench: ConformanceTrial {
        let transport: any Transport

        /// Limits for rules that are not about limits, so that a rule that hangs becomes a finding.
        static let patient = Timeouts(
            connect: .seconds(30),
            firstByte: .seconds(30),
            idle: .seconds(30),
            total: .seconds(40)
        )

        func request(
            _ method: HTTPMethod = .get,
            _ url: URL,
            headers: Headers = [:],
            body: RequestBody = .empty,
            timeouts: Timeouts = patient,
            delivery: ResponseDelivery = .collect
        ) -> TransportRequest {
            TransportRequest(
                method: method,
                url: url,
                headers: headers,
                body: body,
                timeouts: timeouts,
                delivery: delivery
            )
        }

        func send(_ request: TransportRequest) async throws -> TransportResponse { try await transport.send(request) }

        /// Expects a failure with one of these codes.
        @discardableResult
        func fails(_ codes: TransportError.Code..., sending request: TransportRequest) async throws -> TransportError {
            let response: TransportResponse
            do {
                response = try await transport.send(request)
                _ = try await response.body.collect()
            } catch let error as TransportError {
                try expect(codes.contains(error.code), "the code was \(error.code)")
                return error
            }
            throw Deviation(what: "there was a response, status \(response.status)")
        }
    }
}
