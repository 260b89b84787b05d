import DeepLinks
import DeepLinksDocumentNames
import TestSupport

@Suite("Deep-link center", .timeLimit(.minutes(10)), .paced)
struct DeepLinkCenterTests {
    @Test("keeps a link until the app is ready, and delivers it once")
    func readiness() {
        let bench = Bench()
        #expect(bench.center.state == .idle)
        #expect(bench.open("messages/1"))
        #expect(bench.center.state == .pending([.chat("1")]))
        #expect(bench.deliver() == nil)
        bench.center.setReady(true)
        bench.center.setReady(true)
        #expect(bench.deliver() == .chat("1"))
        #expect(bench.deliver() == nil)
        #expect(bench.center.state == .idle)
        bench.center.setReady(false)
        bench.center.setReady(true)
        #expect(bench.deliver() == nil)
        #expect(bench.rejections.values.isEmpty)
    }

    @Test(
        "a refused source never erases a waiting link",
        arguments: [
            (.text("https://evil.test/messages/1"), .host("evil.test")), (.text("app://nowhere"), .unknownRoute),
            (.text(""), .notAURL), (.shortcut(type: "unknown"), .unknownRoute), (.note([:]), .emptyPayload),
            (.note(["data": ["messageId": "2"]], isTapped: false), .notTapped),
            (.activity(type: "spotlight", webpageURL: nil), .unknownRoute),
        ] as [(DeepLinkSource, DeepLinkError)]
    )
    func refusals(source: DeepLinkSource, reason: DeepLinkError) {
        let bench = Bench()
        bench.open("messages/1")
        #expect(!bench.center.receive(source))
        #expect(bench.rejections.values == [reason])
        #expect(bench.center.state == .pending([.chat("1")]))
    }

    @Test("of two links the later one counts, and the other is reported")
    func latestWins() {
        let bench = Bench()
        bench.open("messages/1")
        bench.open("request/2")
        bench.center.setReady(true)
        #expect(bench.rejections.values == [.replaced])
        #expect(bench.deliver() == .request(id: "2"))
        #expect(bench.deliver() == nil)
    }

    @Test("a queue keeps links in order up to its size, and then refuses new ones")
    func queue() {
        let bench = Bench(policy: .queue(max: 2))
        #expect(bench.open("messages/1"))
        #expect(bench.open("messages/2"))
        #expect(!bench.open("messages/3"))
        #expect(bench.rejections.values == [.queueFull])
        #expect(bench.center.state == .pending([.chat("1"), .chat("2")]))
        bench.center.setReady(true)
        #expect(bench.deliver() == .chat("1"))
        #expect(bench.deliver() == .chat("2"))
        #expect(bench.deliver() == nil)
    }

    // MARK: - Authentication

    static func routes(_ requirement: DeepLinkRequirement) -> [DeepLinkRoute<DeeplinkType>] {
        [
            DeepLinkRoute("/activity", opens: .activity, requires: requirement),
            DeepLinkRoute("/messages", opens: .messages(.root), requires: .ready),
        ]
    }

    @Test("a page for signed-in users waits for the sign-in, even if the app is ready")
    func authentication() {
        let bench = Bench(routes: Self.routes(.authenticated), isReady: true)
        bench.open("activity")
        #expect(bench.deliver() == nil)
        bench.center.setAuthenticated(false)
        #expect(bench.center.state == .pending([.activity]))
        bench.center.setAuthenticated(true)
        #expect(bench.deliver() == .activity)
    }

    @Test("a link that waits for a sign-in does not delay one that need not")
    func order() {
        let bench = Bench(routes: Self.routes(.authenticated), policy: .queue(max: 5), isReady: true)
        bench.open("activity")
        bench.open("messages")
        #expect(bench.deliver() == .messages(.root))
        #expect(bench.deliver() == nil)
        bench.center.setAuthenticated(true)
        #expect(bench.deliver() == .activity)
    }

    @Test("signing out discards waiting links")
    func signOut() {
        let bench = Bench(routes: Self.routes(.authenticated))
        bench.center.setAuthenticated(true)
        bench.open("activity")
        bench.center.setAuthenticated(false)
        #expect(bench.center.state == .idle)
        #expect(bench.rejections.values == [.discarded])
    }

    @Test("a page may drop its links if the user is not signed in")
    func dropped() {
        let bench = Bench(routes: Self.routes(.authenticatedOrDropped))
        #expect(!bench.open("activity"))
        #expect(bench.rejections.values == [.notAuthenticated])
        bench.center.setAuthenticated(true)
        #expect(bench.open("activity"))
        #expect(bench.deliver() == nil)
        bench.center.setReady(true)
        #expect(bench.deliver() == .activity)
    }

    @Test("a page without requirements is delivered before the app is ready")
    func none() {
        let bench = Bench(routes: Self.routes(.none))
        bench.open("activity")
        #expect(bench.deliver() == .activity)
    }

    // MARK: - Profiles

    @Test("a page of one profile is refused in another, and waits while no profile is known")
    func profiles() {
        let bench = Bench(isReady: true)
        #expect(bench.center.receive(.shortcut(type: "new")))
        #expect(bench.deliver() == nil)
        bench.center.setProfile("Host")
        #expect(bench.deliver() == .newListing)

        bench.time.advance(by: .milliseconds(5_000))
        bench.center.setProfile("Guest")
        #expect(!bench.center.receive(.shortcut(type: "new")))
        #expect(bench.rejections.values == [.notAllowed(profile: "Guest")])
    }

    @Test("a waiting link is rejected when a profile switch makes it stale; others stay")
    func staleProfile() {
        let bench = Bench(policy: .queue(max: 5))
        bench.center.setProfile("Host")
        #expect(bench.center.receive(.shortcut(type: "new")))
        bench.open("messages/1")
        bench.center.setProfile("Guest")
        #expect(bench.rejections.values == [.notAllowed(profile: "Guest")])
        #expect(bench.center.state == .pending([.chat("1")]))
        bench.center.setProfile("Host")
        #expect(bench.center.state == .pending([.chat("1")]))
    }

    @Test("the table of pages, sources and profiles", arguments: DeepLinkSourceKind.allCases, ProfileType.allCases)
    func table(kind: DeepLinkSourceKind, profile: ProfileType) throws {
        let links: Set<DeepLinkSourceKind> = [.link, .universalLink, .text, .app]
        let expected: [(DeeplinkType, Set<DeepLinkSourceKind>, Set<ProfileType>)] = [
            (.messages(.root), links.union([.shortcut]), [.guest, .host]),
            (.chat("1"), links.union([.notification]), [.guest, .host]),
            (.activity, links.union([.shortcut]), [.guest, .host]),
            (.newListing, links.union([.shortcut]), [.host]),
            (.request(id: "1"), links.union([.notification]), [.guest, .host]),
        ]
        for (page, kinds, profiles) in expected {
            let center = DeepLinkCenter(parser: tutorial)
            center.setReady(true)
            center.setProfile(profile.rawValue)
            // A notification and a shortcut may bring any URL here: the table is what is looked at.
            let url = try tutorial.url(for: page)
            let isTaken = center.receive(.url(url, kind: kind))
            #expect(isTaken == (kinds.contains(kind) && profiles.contains(profile)), "\(page) \(kind)")
        }
    }

    // MARK: - Time

    @Test("a link waits no longer than its time to live, and without one for ever", arguments: [true, false])
    func timeToLive(hasLimit: Bool) {
        let bench = Bench(timeToLive: hasLimit ? .seconds(600) : nil)
        bench.open("messages/1")
        bench.time.advance(by: .milliseconds(599_999))
        #expect(bench.center.state == .pending([.chat("1")]))
        bench.time.advance(by: .milliseconds(1))
        bench.center.setReady(true)
        #expect(bench.deliver() == (hasLimit ? nil : .chat("1")))
        #expect(bench.rejections.values == (hasLimit ? [.expired] : []))
    }

    @Test("the same source is one tap within the window, and another one after it")
    func duplicates() {
        let bench = Bench(isReady: true)
        #expect(bench.open("messages/1"))
        #expect(bench.deliver() == .chat("1"))
        bench.time.advance(by: .milliseconds(1_999))
        #expect(bench.open("messages/1"))
        #expect(bench.deliver() == nil)
        #expect(bench.rejections.values == [.duplicate])
        #expect(bench.open("messages/2"))
        #expect(bench.deliver() == .chat("2"))
        bench.time.advance(by: .milliseconds(1))
        #expect(bench.open("messages/1"))
        #expect(bench.deliver() == .chat("1"))
    }

    @Test("a URL from elsewhere is another source; a notification is identified by its id, one without is always new")
    func identities() throws {
        let url = try #require(URL(string: "app://messages/1"))
        func message(_ id: String?) -> DeepLinkSource { .note(["data": ["messageId": "1"]], id: id) }
        let bench = Bench(policy: .queue(max: 100))
        for source: DeepLinkSource in [
            .url(url), .url(url, kind: .app), .text("app://messages/1"), message("a"), message("b"), message(nil),
            message(nil), .shortcut(type: "new"),
        ] { #expect(bench.center.receive(source)) }
        #expect(bench.rejections.values.isEmpty)
        for source: DeepLinkSource in [.url(url), message("a"), message("b"), .shortcut(type: "new")] {
            #expect(bench.center.receive(source))
        }
        #expect(bench.rejections.values == [.duplicate, .duplicate, .duplicate, .duplicate])
    }

    @Test("a refused source is not a duplicate when it comes again")
    func refusedAgain() {
        let bench = Bench()
        bench.center.setProfile("Guest")
        #expect(!bench.center.receive(.shortcut(type: "new")))
        bench.center.setProfile("Host")
        #expect(bench.center.receive(.shortcut(type: "new")))
        #expect(bench.center.state == .pending([.newListing]))
    }

    // MARK: - Handing over

    @Test("a link being opened is already delivered: asking again inside gives nothing")
    func reentrance() {
        let bench = Bench(isReady: true)
        bench.open("messages/1")
        let inside = Recorder<Bool>()
        #expect(
            bench.center.deliver { link in
                inside.record(bench.center.state == .delivered(link))
                inside.record(bench.center.deliver { _ in })
            }
        )
        #expect(inside.values == [true, false])
        #expect(bench.center.state == .idle)
    }

    @Test("a page that fails to open has been delivered")
    func failure() {
        struct NoWindow: Error {}
        let bench = Bench(isReady: true)
        bench.open("messages/1")
        #expect(throws: NoWindow.self) { try bench.center.deliver { _ throws(NoWindow) in throw NoWindow() } }
        #expect(bench.center.state == .idle)
    }

    @Test("discard drops waiting links, and a tap on one a moment later is a new tap")
    func discard() {
        let bench = Bench(policy: .queue(max: 5))
        bench.open("messages/1")
        bench.open("messages/2")
        bench.center.discard()
        bench.center.discard()
        #expect(bench.rejections.values == [.discarded, .discarded])
        #expect(bench.center.state == .idle)
        bench.open("messages/1")
        #expect(bench.center.state == .pending([.chat("1")]))
    }
}
