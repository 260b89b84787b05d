package import CoreNetKitEssentials
import CoreNetKitSystem

/// A token as a call uses it.
package struct TokenGrant: Sendable, Hashable {
    package let token: AccessToken
    /// The number of tokens and rejections before it was granted.
    package let epoch: Int
}

/// The rules of one login for many callers, without threads, tasks or errors: every step is one function call.
///
/// A plain value, so that a test can try every order of steps. A login is signed in or signed out; while signed in it has
/// a valid token, needs a refresh, or pauses after a failed refresh. At most one refresh runs, and no caller ends it by
/// leaving: a server that issues each refresh token only once would then end the login.
package struct TokenState<Caller: Hashable & Sendable>: Sendable, Hashable {
    package enum Admission: Hashable {
        case granted(TokenGrant)
        /// The required refresh has already been tried, and failed.
        case refused
        case signedOut
        /// The caller has to wait; `starts` tells whether it starts the refresh.
        case waits(Caller, starts: Bool)
    }

    package enum Ending: Hashable {
        case replies([Caller], TokenGrant?)
        /// Callers arrived while a refresh of another login was still ending: a new one starts for them.
        case restarts
    }

    private struct RunningRefresh: Hashable {
        var callers = WaitQueue<Caller>()
        /// Whether a token was set from outside in the meantime: then the result of this refresh is not used.
        var isOutdated = false
    }

    package private(set) var held: HeldCredential?
    package private(set) var isSignedOut = false
    /// A new token that could not be saved: the next refresh saves it instead of requesting another.
    package private(set) var unsaved: HeldCredential?
    private var running: RunningRefresh?
    private var epoch = 0
    /// Whether the server rejected the token, so that it is no longer valid.
    private var isRejected = false
    /// Whether there is no valid token after the last refresh.
    private var hasFailed = false
    /// When a token that is still valid is refreshed.
    private var refreshTime: Date?
    /// Whether no refresh starts until a pause has passed; the caller knows the clock.
    private var isPaused = false
    private let margin: TimeInterval

    package init(token: (any TokenCredential)?, margin: TimeInterval) {
        self.margin = margin
        held = token.map { HeldCredential($0) }
        refreshTime = held?.token.expires?.addingTimeInterval(-margin)
    }

    package var token: AccessToken? { held?.token }
    package var isRefreshing: Bool { running != nil }
    package var waiting: [Caller] { running?.callers.elements ?? [] }

    // MARK: - Callers

    /// Requests a token for a caller: its first one, or a replacement for a rejected one.
    package mutating func request(
        after rejected: TokenGrant?,
        now: @autoclosure () -> Date,
        isPauseOver: @autoclosure () -> Bool,
        _ caller: @autoclosure () -> Caller
    ) -> Admission {
        guard !isSignedOut else { return .signedOut }
        let isCurrent = rejected?.epoch == epoch
        if isCurrent { isRejected = true }
        if running?.isOutdated ?? true {
            if rejected != nil, !isCurrent, hasFailed { return .refused }
            if let grant = usable(now()) { return .granted(grant) }
            if isPaused, !isPauseOver() { return .refused }
        }
        let starts = running == nil
        var refresh = running.take() ?? RunningRefresh()
        let caller = caller()
        refresh.callers.append(caller)
        running = refresh
        return .waits(caller, starts: starts)
    }

    /// The token that a caller gets at once; `nil` if it has to use `request`.
    package func ready(now: @autoclosure () -> Date) -> TokenGrant? {
        isSignedOut || running?.isOutdated == false ? nil : usable(now())
    }

    private func usable(_ now: @autoclosure () -> Date) -> TokenGrant? {
        guard !isRejected, let token, refreshTime.map({ now() < $0 }) ?? true else { return nil }
        return TokenGrant(token: token, epoch: epoch)
    }

    /// Rejects the token, for a caller that does not wait for another one; returns whether a refresh starts, for later callers.
    package mutating func reject(_ rejected: TokenGrant, isPauseOver: @autoclosure () -> Bool) -> Bool {
        guard !isSignedOut, rejected.epoch == epoch else { return false }
        isRejected = true
        guard running == nil, !isPaused || isPauseOver() else { return false }
        running = RunningRefresh()
        return true
    }

    package mutating func leave(_ caller: Caller) { running?.callers.remove(caller) }

    // MARK: - The refresh

    /// Takes a new token of the refresh; returns whether to save it: not after another login or a logout in the meantime.
    package mutating func receive(_ renewed: HeldCredential) -> Bool {
        guard let running, !running.isOutdated else { return false }
        unsaved = renewed
        return true
    }

    /// Ends the refresh, with a token that is saved, or without one; after a failed one others may have to pause.
    package mutating func finish(_ renewed: HeldCredential?, now: Date, pauses: Bool = false) -> Ending {
        guard let ended = running else { return .replies([], nil) }
        running = nil
        if ended.isOutdated {
            guard !ended.callers.isEmpty else { return .replies([], nil) }
            running = RunningRefresh(callers: ended.callers)
            return .restarts
        }
        if let renewed {
            epoch += 1
            take(renewed, now: now)
        } else {
            isPaused = pauses
            guard !isRejected, let expires = token?.expires, now < expires else {
                epoch += 1
                hasFailed = true
                return .replies(ended.callers.elements, nil)
            }
            // Only an early refresh failed: the token is still valid, so there is time for another attempt.
            refreshTime = Self.half(from: now, to: expires)
        }
        return .replies(ended.callers.elements, token.map { TokenGrant(token: $0, epoch: epoch) })
    }

    private static func half(from now: Date, to end: Date) -> Date {
        now.addingTimeInterval(end.duration(since: now) / .seconds(2))
    }

    private mutating func take(_ held: HeldCredential?, now: Date?) {
        self.held = held
        unsaved = nil
        isRejected = false
        hasFailed = false
        isPaused = false
        refreshTime = token?.expires?.addingTimeInterval(-margin)
        if let expires = token?.expires, let early = refreshTime, let now {
            // A token with a lifetime shorter than the margin is not renewed for each call.
            refreshTime = max(early, Self.half(from: now, to: expires))
        }
    }

    // MARK: - Login and logout

    /// Sets the token of a login, or `nil` after a logout; the refresh has to be cancelled, and these callers get the grant.
    package mutating func set(_ held: HeldCredential?) -> ([Caller], TokenGrant?) {
        epoch += 1
        take(held, now: nil)
        isSignedOut = held == nil
        let callers = waiting
        if running != nil { running = RunningRefresh(isOutdated: true) }
        return (callers, token.map { TokenGrant(token: $0, epoch: epoch) })
    }

    /// Invalidates the token, and forgets earlier failures: the next caller refreshes.
    package mutating func invalidate() {
        guard !isSignedOut else { return }
        epoch += 1
        isRejected = true
        hasFailed = false
        isPaused = false
    }
}
