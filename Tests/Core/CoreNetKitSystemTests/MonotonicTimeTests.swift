#if os(Linux)
    import CoreNetKitSystem
    import TestPace
    import Testing

    @Suite("Nanoseconds of the monotonic clock", .paced)
    struct MonotonicTimeTests {
        @Test("a limit counts from a start; without one, or with a century, it is never")
        func limits() {
            #expect(MonotonicTime.after(5, 3) == 8)
            #expect(MonotonicTime.after(5, MonotonicTime.never) == MonotonicTime.never)
            #expect(MonotonicTime.nanoseconds(nil) == MonotonicTime.never)
            #expect(MonotonicTime.nanoseconds(.zero) == 0)
            #expect(MonotonicTime.nanoseconds(.nanoseconds(1)) == 1)
            #expect(MonotonicTime.nanoseconds(.nanoseconds(-1)) == -1)
            #expect(MonotonicTime.nanoseconds(.seconds(3) + .nanoseconds(7)) == 3_000_000_007)
            #expect(MonotonicTime.nanoseconds(.seconds(100_000) + .nanoseconds(7)) == 100_000_000_000_007)
            #expect(MonotonicTime.nanoseconds(.seconds(3_000_000_000)) == MonotonicTime.never)
            #expect(MonotonicTime.nanoseconds(.seconds(2_999_999_999)) == 2_999_999_999_000_000_000)
            #expect(MonotonicTime.nanoseconds(.seconds(-3_000_000_000)) == 0)
            #expect(MonotonicTime.now() <= MonotonicTime.now())
        }
    }
#endif
