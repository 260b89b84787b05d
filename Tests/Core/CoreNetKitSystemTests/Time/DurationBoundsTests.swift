import CoreNetKitSystem
import TestPace

@Suite("Durations as numbers", .timeLimit(.minutes(10)), .paced)
struct DurationBoundsTests {
    private static let longest = Duration(attoseconds: Int128.max)
    private static let shortest = Duration(attoseconds: Int128.min)

    @Test("what does not fit saturates, in both directions")
    func clamped() {
        for (length, end, bound) in [
            (.seconds(Int64.max), .max, .forever), (Self.longest, .max, .forever),
            (.seconds(Int64.min), .min, .zero - .forever), (Self.shortest, .min, .zero - .forever),
        ] as [(Duration, Int64, Duration)] {
            #expect(length.wholeSeconds == end && length.wholeMilliseconds == end)
            #expect(length.wholeMicroseconds == end && length.wholeNanoseconds == end && length.bounded == bound)
        }
    }

    @Test("what fits is exact, and rounded towards zero")
    func exact() {
        let length = Duration(secondsComponent: 7, attosecondsComponent: 123_456_789_987_654_321)
        #expect(length.wholeSeconds == 7)
        #expect(length.wholeMilliseconds == 7123)
        #expect(length.wholeMicroseconds == 7_123_456)
        #expect(length.wholeNanoseconds == 7_123_456_789)
        #expect((Duration.zero - length).wholeMilliseconds == -7123)
        #expect(length.bounded == length)
        #expect(Duration.nanoseconds(1).wholeNanoseconds == 1)
        #expect(Duration.zero.wholeNanoseconds == 0)
        // It can be counted with, and told in nanoseconds.
        #expect(Duration.forever.wholeNanoseconds < .max / 2)
    }

    @Test(
        "a duration doubles up to its cap, whatever the three values",
        arguments: [
            (Duration.seconds(1), 0, Duration.seconds(20), Duration.seconds(1)),
            (.seconds(1), 3, .seconds(20), .seconds(8)), (.seconds(1), 5, .seconds(20), .seconds(20)),
            (.seconds(1), -5, .seconds(20), .seconds(1)), (.seconds(1), .max, .seconds(20), .seconds(20)),
            (.seconds(30), 0, .seconds(20), .seconds(20)), (.zero, 9, .seconds(20), .zero),
            (.seconds(1), 9, .zero, .zero), (.zero, 9, .zero, .zero),
            (.nanoseconds(1), .max, .seconds(Int64.max), .nanoseconds(1) * (UInt64(1) << 62)),
            (.seconds(Int64.max), .max, .seconds(Int64.max), .seconds(Int64.max)), (longest, 1, longest, longest),
        ]
    )
    func doubled(base: Duration, times: Int, cap: Duration, end: Duration) {
        #expect(base.doubled(times, upTo: cap) == end)
    }
}

#if os(Linux)
    @Suite("Nanoseconds of the monotonic clock", .paced)
    struct MonotonicTimeTests {
        @Test("a limit counts from a start; without one, or with a century, it is never")
        func limits() {
            #expect(MonotonicTime.after(5, 3) == 8)
            #expect(MonotonicTime.after(5, MonotonicTime.never) == MonotonicTime.never)
            for (length, number) in [
                (nil, MonotonicTime.never), (.zero, 0), (.nanoseconds(1), 1), (.nanoseconds(-1), -1),
                (.seconds(3) + .nanoseconds(7), 3_000_000_007), (.seconds(-3_000_000_000), 0),
                (.seconds(100_000) + .nanoseconds(7), 100_000_000_000_007),
                (.seconds(3_000_000_000), MonotonicTime.never), (.seconds(2_999_999_999), 2_999_999_999_000_000_000),
            ] as [(Duration?, Int64)] { #expect(MonotonicTime.nanoseconds(length) == number) }
            #expect(MonotonicTime.now() <= MonotonicTime.now())
        }
    }
#endif
