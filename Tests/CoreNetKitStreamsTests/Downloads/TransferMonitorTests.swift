import CoreNetKit
import CoreNetKitMock
import CoreNetKitStreams
import Testing

@Suite("Progress of a transfer", .timeLimit(.minutes(1)))
struct TransferMonitorTests {
    private let clock = ManualClock()

    @Test("at most ten values a second and the last one, the newest each time")
    func throttles() async {
        let monitor = TransferMonitor(clock: CallClock(clock))
        var values = monitor.progress.makeAsyncIterator()
        #expect(await values.next() == TransferProgress())
        for step in 1...1000 {
            clock.advance(by: .milliseconds(1))
            monitor.update { $0.received = Int64(step) }
        }
        #expect(await values.next()?.received == 901)
        #expect(monitor.current.received == 1000)
        monitor.update { $0.isFinished = true }
        #expect(await values.next()?.received == 1000)
        #expect(await values.next() == nil)
        var late = monitor.progress.makeAsyncIterator()
        #expect(await late.next()?.isFinished == true)
        #expect(await late.next() == nil)
    }

    @Test("the rate is that of the last seconds, and begins anew with another attempt")
    func rate() {
        let monitor = TransferMonitor(clock: CallClock(clock))
        monitor.update { $0.received = 0 }
        for _ in 0..<10 {
            clock.advance(by: .seconds(1))
            monitor.update { $0.received += 1000 }
        }
        #expect(monitor.current.rate == 1000)
        monitor.update { $0.received = 0 }
        clock.advance(by: .seconds(1))
        monitor.update { $0.received = 500 }
        #expect(monitor.current.rate == 500)
    }

    @Test("the part that is done is the response's where its size is known, else the request's")
    func fraction() {
        var progress = TransferProgress()
        #expect(progress.fraction == nil)
        (progress.sent, progress.sentTotal) = (5, 10)
        #expect(progress.fraction == 0.5)
        (progress.received, progress.receivedTotal) = (3, 4)
        #expect(progress.fraction == 0.75)
        progress.received = 9
        #expect(progress.fraction == 1)
    }
}
