import CoreNetKitEssentials
public import CoreNetKitHTTP

/// The rules for every transport, and a check of a transport against them with a faulty server; needs no test framework.
///
/// ```swift
/// let findings = await TransportConformance.check(MyTransport())
/// #expect(findings.isEmpty, "\(findings)")
/// ```
public enum TransportConformance {
    /// One rule.
    public struct Rule: Sendable, ConformanceRule {
        /// A short name, the same in every version.
        public let name: String
        /// The requirement, in one sentence.
        public let statement: String
        /// Capabilities without which the rule does not apply.
        public let needs: TransportCapabilities
        package let check: @Sendable (Bench) async throws -> Void

        init(
            _ name: String,
            _ statement: String,
            needs: TransportCapabilities = [],
            check: @escaping @Sendable (Bench) async throws -> Void
        ) { (self.name, self.statement, self.needs, self.check) = (name, statement, needs, check) }
    }

    /// A rule that a transport violates.
    public struct Finding: Sendable, CustomStringConvertible {
        /// The rule's name.
        public let rule: String
        /// The rule.
        public let statement: String
        /// What happened instead.
        public let instead: String

        /// The rule and what happened instead, on one line.
        public var description: String { "\(rule): \(statement) Instead: \(instead)" }
    }

    /// All rules, in the order in which they are checked.
    public static let rules: [Rule] =
        messageRules + refusalRules + deliveryRules + faultRules + limitRules + openingRules

    /// Checks every rule that applies to a transport.
    ///
    /// - Parameters:
    ///   - transport: The transport; it may keep connections between the rules.
    ///   - names: Rules that are known to be violated, and are skipped.
    /// - Returns: The violated rules; empty if the transport conforms.
    public static func check(_ transport: any Transport, except names: Set<String> = []) async -> [Finding] {
        await rules.filter { transport.capabilities.isSuperset(of: $0.needs) }.violations(except: names) {
            Bench(transport: transport)
        }
        .map { Finding(rule: $0.rule.name, statement: $0.rule.statement, instead: $0.instead) }
    }
}

extension TransportConformance {
    package struct Bench: ConformanceTrial {
        let transport: any Transport

        package init(transport: any Transport) { self.transport = transport }

        /// Limits for rules that are not about limits, so that a rule that hangs becomes a finding.
        static let patient = Timeouts(phases: .seconds(30), total: .seconds(40))

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

        /// Expects that the limit of a phase ends an exchange with this fault in it.
        @discardableResult
        func ends(in phase: TransportError.Phase, with fault: LoopbackFault) async throws -> TransportError {
            let server = try LoopbackServer { _ in .text("0123456789").fault(fault) }
            var limits = Self.patient
            limits[phase.row.limit] = .milliseconds(300)
            let error = try await fails(.timedOut, sending: request(.get, server.url("/"), timeouts: limits))
            try expect(error.phase, is: phase, "the phase")
            return error
        }
    }
}
