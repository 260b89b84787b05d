import CoreNetKitStreams
import CoreNetKitSystem
import TestPace
import Testing

@Suite("Dividing a file for several requests", .paced)
struct SegmentPlanTests {
    @Test("the longest remainders are divided until there is one for each request, none below the minimum")
    func split() {
        var plan = SegmentPlan(total: 1000)
        plan.split(into: 4, least: 100)
        #expect(plan.segments.map(\.rest) == [0..<250, 250..<500, 500..<750, 750..<1000])
        plan.split(into: 100, least: 100)
        #expect(plan.segments.allSatisfy { $0.rest.count >= 100 } && plan.isSound && plan.total == 1000)
        var short = SegmentPlan(total: 199)
        short.split(into: 4, least: 100)
        #expect(short.segments.count == 1)
    }

    @Test("existing content is not requested, and is not divided")
    func held() {
        var plan = SegmentPlan(total: 1000, held: 600, synced: 300)
        plan.split(into: 2, least: 100)
        #expect(plan.segments.map(\.rest) == [600..<800, 800..<1000])
        #expect(plan.done == 600 && plan.unsynced == 300 && plan.open == [0, 1])
        #expect(plan.onDisk().segments.map(\.rest) == [300..<800, 800..<1000])
        for index in plan.open { plan.wrote(200, in: index) }
        #expect(plan.isComplete && plan.done == 1000)
        plan.synced()
        #expect(plan.unsynced == 0)
    }

    @Test("however it is divided and written, the segments cover the file once")
    func random() {
        var random = SplitMix64(seed: 9)
        for _ in 0..<300 {
            let total = Int.random(in: 0...5000, using: &random)
            var plan = SegmentPlan(total: total, held: Int.random(in: 0...6000, using: &random))
            while !plan.isComplete {
                plan.split(into: Int.random(in: 1...9, using: &random), least: Int.random(in: 1...300, using: &random))
                #expect(plan.isSound && plan.total == total)
                guard let index = plan.open.randomElement(using: &random) else { break }
                plan.wrote(Int.random(in: 1...plan.segments[index].rest.count, using: &random), in: index)
            }
            #expect(plan.isSound && plan.done == total)
        }
    }
}
