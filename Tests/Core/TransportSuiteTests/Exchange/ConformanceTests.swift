import TestSupport

@Suite("The rules of conformance", .timeLimit(.minutes(10)), .paced)
struct ConformanceTests {
    @Test("each transport with a wire follows every rule that applies to it", arguments: Subject.direct)
    func keepsTheRules(subject: Subject) async {
        let findings = await TransportConformance.check(subject.freshTransport)
        #expect(findings.isEmpty, "\(findings)")
    }
}
