import CoreNetKit
import CoreNetKitChain
import CoreNetKitMock
import Foundation
import ProgramArguments

/// A thousand users of one client, a server that is down for 20 seconds, and what reaches it, second by second; then the same
/// with two servers, one of which is down, and with five, one of which is slow.
///
/// `swift run OutageDrill` runs in virtual time, with a seed: each run prints the same output.
@main
struct OutageDrill {
    static let users = 1000
    /// Each user calls once in this period.
    static let period = 4
    static let outage = 5..<25
    static let seconds = 35
    static let budget = (ratio: 0.2, floor: 10)

    static func main() async throws {
        _ = ProgramArguments(
            """
            usage: OutageDrill

            Draws what reaches a server that is down, with a retry budget and without, and beside a second one.
            """
        )
        let open = try await drill(RetryBudget(ratio: 1, floor: users * 10))
        let bounded = try await drill(RetryBudget(ratio: budget.ratio, floor: budget.floor))

        print(
            "\(users) users, a call every \(period) s each; the server is down from \(outage.lowerBound) s to \(outage.upperBound) s"
        )
        print("requests a second: ░ calls, █ repetitions\n")
        plot("retry without a budget", open)
        plot("retry with a budget of \(Int(budget.ratio * 100)) % and \(budget.floor) a second", bounded)
        let isAsExpected = verdict(open, bounded)
        let areTwo = await twoServers()
        let areFive = await fiveServers()
        exit(isAsExpected && areTwo && areFive ? 0 : 1)
    }

    /// Runs all users against their own server until the time is over.
    static func drill(_ budget: RetryBudget) async throws -> [Server.Second] {
        let clock = ManualClock()
        let server = Server(clock: clock, outage: outage)
        let client = Client(transport: server, clock: CallClock(clock), seed: 1)
            .retry(.standard)
            .retryBudget(budget)
        let chain: Chain<Void, Void> = UrlChainsBuilder<String>(client: client)
            .insert(at: .attempt) { next in
                AnyNode<TransportRequest, TransportResponse>("AttemptMark", successors: [next]) { request, context in
                    var request = request
                    if context.attempt > 1 { request.headers["X-Attempt"] = "\(context.attempt)" }
                    return try await next.process(request, context: context)
                }
            }
            .route(.get, "http://server.example/")
            .build()

        _ = await run(chain, clock)
        return await server.log
    }

    /// Lets all users call until the time is over; returns how long each call took, `nil` for a failed one.
    static func run(_ chain: Chain<Void, Void>, _ clock: ManualClock, for seconds: Int = OutageDrill.seconds) async
        -> [Duration?]
    {
        await withTaskGroup(of: [Duration?].self) { group in
            for user in 0..<users {
                group.addTask { await use(chain, clock, from: .milliseconds(user * period * 1000 / users)) }
            }
            group.addTask {
                // All of them are asleep: between calls, between attempts, or on the way to the server and back.
                while clock.now.offset < .seconds(seconds) {
                    do {
                        try await clock.waitForSleepers(users)
                        try await clock.advanceToNextSleeper()
                    } catch {
                        break
                    }
                }
                return []
            }
            _ = await group.next()
            group.cancelAll()
            return await group.reduce(into: []) { $0 += $1 }
        }
    }

    /// One user: a call in each period, whatever happened to the one before.
    static func use(_ chain: Chain<Void, Void>, _ clock: ManualClock, from start: Duration) async -> [Duration?] {
        var (next, calls) = (start, [Duration?]())
        while true {
            do {
                try await clock.sleep(until: .init(offset: next))
                let start = clock.now
                try await chain.process()
                calls.append(start.duration(to: clock.now))
            } catch {
                // Failed calls are the point of the drill; a cancelled one means its end.
                if Task.isCancelled { return calls }
                calls.append(nil)
            }
            repeat { next += .seconds(period) } while next <= clock.now.offset
        }
    }
}
