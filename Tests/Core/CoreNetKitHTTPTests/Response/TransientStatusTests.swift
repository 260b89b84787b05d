import CoreNetKitHTTP
import TestPace
import Testing

@Suite("Transient statuses", .timeLimit(.minutes(10)), .paced)
struct TransientStatusTests {
    @Test("all statuses that may pass", arguments: 100...599)
    func mayPass(status: Int) {
        #expect(TransientStatus.mayPass(status) == [408, 425, 429, 500, 502, 503, 504].contains(status))
    }

    @Test("those that mean that nothing was done")
    func saysNothingWasDone() {
        #expect(TransientStatus.allCases.filter(\.saysNothingWasDone).map(\.rawValue) == [408, 425, 429, 503])
    }

    @Test("those after which a collector wants the same data again")
    func otlp() {
        #expect(TransientStatus.allCases.filter(\.isRetryableInOTLP).map(\.rawValue) == [429, 502, 503, 504])
    }
}
