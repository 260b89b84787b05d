package import CoreNetKitEssentials
import CoreNetKitChain
import CoreNetKitSystem

/// A token as one call uses it.
package struct TokenGrant: Sendable, Hashable {
    package let token: AccessToken
    /// How many tokens and refusals there had been when it was given out.
    package let epoch: Int

    package init(token: AccessToken, epoch: Int) {
        self.token = token
        self.epoch = epoch
    }
}

/// The rules of one login for many callers, without threads, tasks or errors: every step is one call.
///
/// A plain value, so that a test can walk through every order of steps. A login is signed in or signed out; signed in
/// it has a token that works, or needs a refresh, or was refused one and rests for a while. At most one refresh runs,
/// and no caller ends it by leaving: a server that gives each refresh token once would end the login with it.
package struct TokenState<Caller: Hashable & Sendable>: Sendable, Hashable {
    /// What a caller is told when it asks.
    package enum Admission: Hashable {
        case granted(TokenGrant)
        /// The refresh that it would ask for has been made, and failed.
        case refused
        /// There is no login.
        case signedOut
        /// To wait for an answer; `starts` when the refresh begins with it.
        case waits(starts: Bool)
    }

    /// What the end of a refresh means.
    package enum Ending: Hashable {
        case answers([Caller], TokenGrant?)
        /// Callers came while a refresh of another login was still ending: it begins again for them.
        case restarts
    }

    private struct Flight: Hashable {
        var callers = WaitingLine<Caller>()
        /// Whether a token came from elsewhere meanwhile: its own is of no use.
        var isOutdated = false
    }

    package private(set) var held: HeldCredential?
    package private(set) var isSignedOut = false
    /// What a refresh brought and could not be saved: the next one saves it, instead of asking for another.
    package private(set) var unsaved: HeldCredential?
    private var flight: Flight?
    private var epoch = 0
    /// Whether the server refused the token, so that it is of no more use.
    private var isRejected = false
    /// Whether the last refresh left nothing that works.
    private var hasFailed = false
    /// When a token that still works is refreshed.
    private var refreshTime: Date?
    /// Whether no refresh begins until a rest is over; by whose clock is known outside.
    private var hasRest = false
    private let margin: TimeInterval

    package init(token: (any TokenCredential)?, margin: TimeInterval) {
        self.margin = margin
        held = token.map { HeldCredential($0) }
        refreshTime = held?.token.expires?.addingTimeInterval(-margin)
    }

    package var token: AccessToken? { held?.token }
    package var isRefreshing: Bool { flight != nil }
    package var waiting: [Caller] { flight?.callers.elements ?? [] }
}

// MARK: - Callers

extension TokenState {
    /// A caller wants a token: its first one, or another for the one that was refused.
    package mutating func request(
        after refused: TokenGrant?,
        now: @autoclosure () -> Date,
        isRestOver: @autoclosure () -> Bool,
        _ caller: @autoclosure () -> Caller
    ) -> Admission {
        guard !isSignedOut else { return .signedOut }
        let isCurrent = refused?.epoch == epoch
        if isCurrent { isRejected = true }
        if flight?.isOutdated ?? true {
            if refused != nil, !isCurrent, hasFailed { return .refused }
            if let grant = usable(now()) { return .granted(grant) }
            if hasRest, !isRestOver() { return .refused }
        }
        guard flight == nil else {
            flight?.callers.append(caller())
            return .waits(starts: false)
        }
        var new = Flight()
        new.callers.append(caller())
        flight = new
        return .waits(starts: true)
    }

    /// The token that a first caller gets at once; `nil` where there is more to do.
    package func ready(now: @autoclosure () -> Date) -> TokenGrant? {
        isSignedOut || flight?.isOutdated == false ? nil : usable(now())
    }

    private func usable(_ now: @autoclosure () -> Date) -> TokenGrant? {
        guard !isRejected, let token, refreshTime.map({ now() < $0 }) ?? true else { return nil }
        return TokenGrant(token: token, epoch: epoch)
    }

    /// The token was refused to a caller who does not wait for another one.
    ///
    /// - Returns: Whether a refresh begins, for those who come.
    package mutating func reject(_ refused: TokenGrant, isRestOver: @autoclosure () -> Bool) -> Bool {
        guard !isSignedOut, refused.epoch == epoch else { return false }
        isRejected = true
        guard flight == nil, !hasRest || isRestOver() else { return false }
        flight = Flight()
        return true
    }

    /// A caller stops to wait; the refresh goes on.
    package mutating func leave(_ caller: Caller) {
        flight?.callers.remove(caller)
    }
}

// MARK: - The refresh

extension TokenState {
    /// The refresh has a token, which is saved before anybody uses it.
    ///
    /// - Returns: Whether it is to be saved: not when another login or a logout came meanwhile.
    package mutating func receive(_ renewed: HeldCredential) -> Bool {
        guard let flight, !flight.isOutdated else { return false }
        unsaved = renewed
        return true
    }

    /// The refresh has ended, with a token that is saved, or without one.
    ///
    /// - Parameters:
    ///   - renewed: The token.
    ///   - now: The time of day.
    ///   - rests: Whether no other refresh begins for a while; only after one that failed.
    /// - Returns: Who waited, and for what.
    package mutating func finish(_ renewed: HeldCredential?, now: Date, rests: Bool = false) -> Ending {
        guard let ended = flight else { return .answers([], nil) }
        flight = nil
        if ended.isOutdated {
            guard !ended.callers.isEmpty else { return .answers([], nil) }
            flight = Flight(callers: ended.callers)
            return .restarts
        }
        if let renewed {
            epoch += 1
            take(renewed, now: now)
        } else {
            hasRest = rests
            guard !isRejected, let expires = token?.expires, now < expires else {
                epoch += 1
                hasFailed = true
                return .answers(ended.callers.elements, nil)
            }
            // Only the early refresh failed: the token works for a while, and there is time for another try.
            refreshTime = Self.half(from: now, to: expires)
        }
        return .answers(ended.callers.elements, token.map { TokenGrant(token: $0, epoch: epoch) })
    }

    private static func half(from now: Date, to end: Date) -> Date {
        now.addingTimeInterval(end.length(from: now) / .seconds(2))
    }

    private mutating func take(_ held: HeldCredential?, now: Date?) {
        self.held = held
        unsaved = nil
        isRejected = false
        hasFailed = false
        hasRest = false
        refreshTime = token?.expires?.addingTimeInterval(-margin)
        if let expires = token?.expires, let early = refreshTime, let now {
            // A token that lives shorter than the margin is not renewed with each call.
            refreshTime = max(early, Self.half(from: now, to: expires))
        }
    }
}

// MARK: - Login and logout

extension TokenState {
    /// The token comes from elsewhere: a login; `nil` is a logout, after which nothing is refreshed until a login.
    ///
    /// - Returns: Who waited and is to be answered with the grant, or refused; the refresh is to be cancelled.
    package mutating func set(_ held: HeldCredential?) -> ([Caller], TokenGrant?) {
        epoch += 1
        take(held, now: nil)
        isSignedOut = held == nil
        let callers = waiting
        if flight != nil { flight = Flight(isOutdated: true) }
        return (callers, token.map { TokenGrant(token: $0, epoch: epoch) })
    }

    /// The token does not work any more, and what failed before does not count: the next caller refreshes.
    package mutating func invalidate() {
        guard !isSignedOut else { return }
        epoch += 1
        isRejected = true
        hasFailed = false
        hasRest = false
    }
}
