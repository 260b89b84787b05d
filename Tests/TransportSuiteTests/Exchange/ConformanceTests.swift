import CoreNetKitHTTP
import CoreNetKitLoopback
import Testing

@Suite("The rules of conformance", .timeLimit(.minutes(2)))
struct ConformanceTests {
    @Test("each transport with a wire keeps every rule that applies to it", arguments: Subject.wires)
    func keepsTheRules(subject: Subject) async {
        let findings = await TransportConformance.check(subject.freshTransport, except: subject.brokenRules)
        #expect(findings.isEmpty, "\(findings)")
    }

    @Test("a rule that is said to be broken is one of the list", arguments: Subject.allCases)
    func namesRules(subject: Subject) {
        #expect(subject.brokenRules.isSubset(of: TransportConformance.rules.map(\.name)))
    }
}

extension Subject {
    /// Rules that a transport does not keep, for what Docs/Transports.md says of it.
    fileprivate var brokenRules: Set<String> {
        switch self {
        case .curl, .mock: []
        case .urlSession: []
        }
    }
}
