#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif
import CoreNetKitChain

/// A token as one call uses it.
package struct TokenGrant: Sendable, Hashable {
    package let token: AccessToken
    /// How many refreshes had ended when it was given out.
    package let epoch: Int

    package init(token: AccessToken, epoch: Int) {
        self.token = token
        self.epoch = epoch
    }
}

/// The rules of one refresh for many callers, without threads, tasks or errors: every step is one call.
///
/// A plain value, so that a test can walk through every order of steps.
package struct TokenState<Caller: Hashable & Sendable>: Sendable, Hashable {
    /// What a caller is told when it asks.
    package enum Admission: Hashable {
        case granted(TokenGrant)
        /// The refresh that it would ask for has been made, and failed.
        case refused
        /// To wait for an answer; `starts` when the refresh begins with it.
        case waits(starts: Bool)
    }

    /// What the end of a refresh means.
    package enum Ending: Hashable {
        case answers([Caller], TokenGrant?)
        /// Callers came while a refresh that nobody wanted was still ending: it begins again for them.
        case restarts
    }

    private struct Flight: Hashable {
        var callers: [Caller] = []
        /// Whether the server refused the token, so that it is of no more use.
        var isRejected = false
        /// Whether its last caller left before it ended: its failure tells nothing.
        var isAbandoned = false
        /// Whether a token came from elsewhere meanwhile: its token is of no use.
        var isOutdated = false
    }

    private var flight: Flight?
    private var hasFailed = false
    private var epoch = 0
    /// When a token that still works is refreshed.
    private var refreshTime: Date?
    private let margin: TimeInterval

    package private(set) var token: AccessToken?

    package init(token: AccessToken?, margin: TimeInterval) {
        self.margin = margin
        self.token = token
        refreshTime = token?.expires?.addingTimeInterval(-margin)
    }

    package var isRefreshing: Bool { flight != nil }
    package var waiting: [Caller] { flight?.callers ?? [] }

    /// A caller wants a token: its first one, or another for the one that was refused.
    package mutating func request(
        after refused: TokenGrant?,
        now: @autoclosure () -> Date,
        _ caller: @autoclosure () -> Caller
    ) -> Admission {
        let isCurrent = refused?.epoch == epoch
        if flight.map(\.isOutdated) ?? true {
            if refused != nil, !isCurrent, hasFailed { return .refused }
            if !isCurrent, let token, refreshTime.map({ now() < $0 }) ?? true {
                return .granted(TokenGrant(token: token, epoch: epoch))
            }
        }
        guard flight == nil else {
            flight?.callers.append(caller())
            if isCurrent { flight?.isRejected = true }
            return .waits(starts: false)
        }
        flight = Flight(callers: [caller()], isRejected: isCurrent)
        return .waits(starts: true)
    }

    /// A caller stops to wait.
    ///
    /// - Returns: Whether nobody is left, so that the refresh is to be cancelled.
    package mutating func leave(_ caller: Caller) -> Bool {
        guard let index = flight?.callers.firstIndex(of: caller) else { return false }
        flight?.callers.remove(at: index)
        guard let current = flight, current.callers.isEmpty, !current.isAbandoned else { return false }
        flight?.isAbandoned = true
        return true
    }

    /// The refresh has ended, with a token or without.
    package mutating func finish(_ renewed: AccessToken?, now: Date) -> Ending {
        guard let ended = flight else { return .answers([], nil) }
        flight = nil
        if ended.isOutdated || (ended.isAbandoned && renewed == nil) {
            guard !ended.callers.isEmpty else { return .answers([], nil) }
            flight = Flight(callers: ended.callers, isRejected: ended.isRejected)
            return .restarts
        }
        epoch += 1
        if let renewed {
            take(renewed, now: now)
        } else if !ended.isRejected, let expires = token?.expires, now < expires {
            // Only the early refresh failed: the token works for a while, and there is time for another try.
            refreshTime = now.addingTimeInterval(expires.timeIntervalSince(now) / 2)
        } else {
            hasFailed = true
            return .answers(ended.callers, nil)
        }
        return .answers(ended.callers, token.map { TokenGrant(token: $0, epoch: epoch) })
    }

    /// The token comes from elsewhere: a login; `nil` is a logout.
    ///
    /// - Returns: Who waited and is to be answered with the grant, or refused; the refresh is to be cancelled.
    package mutating func set(_ token: AccessToken?) -> ([Caller], TokenGrant?) {
        epoch += 1
        take(token, now: nil)
        // A call from before a logout must not log in again because its token is refused now.
        hasFailed = token == nil
        let callers = waiting
        if flight != nil { flight = Flight(isAbandoned: true, isOutdated: true) }
        return (callers, token.map { TokenGrant(token: $0, epoch: epoch) })
    }

    private mutating func take(_ token: AccessToken?, now: Date?) {
        self.token = token
        hasFailed = false
        refreshTime = token?.expires?.addingTimeInterval(-margin)
        if let expires = token?.expires, let early = refreshTime, let now {
            // A token that lives shorter than the margin is not renewed with each call.
            refreshTime = max(early, now.addingTimeInterval(expires.timeIntervalSince(now) / 2))
        }
    }
}
