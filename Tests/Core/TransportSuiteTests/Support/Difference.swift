/// What a transport is known to do in another way, by facts about the platform; `Docs/Transports.md` shows this table.
struct Difference: Sendable {
    var subjects = [Subject.urlSession]
    let usual: String
    let instead: String
    let why: String
    var isOnLinuxOnly = true

    var isOnThisPlatform: Bool {
        #if os(Linux)
            true
        #else
            !isOnLinuxOnly
        #endif
    }
}

extension Difference {
    static let all: [Difference] = [
        .endInHead, .trailers, .redirectToAddress, .noSpaceAfterColon, .latin1, .noReason, .bareLineFeed,
        .redirectWithoutTarget, .failedRedirect,
        .emptyBodyLength, .methodCase, .addressAsHost, .deadConnection, .phases, .extraFields, .backPressure,
        .streamedLength, .decodedProgress, .connectionCache, .busyWait,
        .wireOnly,
    ]

    static let endInHead = Difference(
        usual: "A connection that ends inside the head fails with `connectionLost`.",
        instead: "**The process ends.**",
        why: "A `fatalError` in FoundationNetworking 6.3; repaired in 6.4."
    )
    static let trailers = Difference(
        usual: "Trailers are passed over.",
        instead: "**The process ends.**",
        why: "A `fatalError` in FoundationNetworking: a trailer is taken for the head of another response."
    )
    static let redirectToAddress = Difference(
        usual: "A redirect to `//[::1]/` is a response.",
        instead: "**The process ends.**",
        why: "A `fatalError` in FoundationNetworking, which builds the next URL before it asks whether to follow."
    )
    static let noSpaceAfterColon = Difference(
        usual: "`Name:value` is a field.",
        instead: "`invalidResponse`",
        why: "FoundationNetworking 6.3 asks for the space; repaired in 6.4."
    )
    static let latin1 = Difference(
        usual: "A field that is not UTF-8 is read as Latin-1.",
        instead: "`invalidResponse`",
        why: "FoundationNetworking reads heads as UTF-8 only."
    )
    static let noReason = Difference(
        usual: "A status line may end after the code.",
        instead: "`invalidResponse`",
        why: "FoundationNetworking asks for three parts."
    )
    static let bareLineFeed = Difference(
        usual: "The lines of a head may end with LF alone.",
        instead: "`invalidResponse`",
        why: "FoundationNetworking asks for CR LF."
    )
    static let redirectWithoutTarget = Difference(
        usual: "A 301, 302, 303, 305–308 without a usable `Location` has its content.",
        instead: "The content is empty.",
        why: "FoundationNetworking keeps it for a redirect that does not come."
    )
    static let failedRedirect = Difference(
        usual: "A redirect whose content fails is a response.",
        instead: "The error of the content, without a status.",
        why: "FoundationNetworking tells of a redirect only behind its content."
    )
    static let emptyBodyLength = Difference(
        usual: "A DELETE or OPTIONS without a body has no `Content-Length`.",
        instead: "`Content-Length: 0`",
        why: "FoundationNetworking makes every request but GET an upload."
    )
    static let methodCase = Difference(
        usual: "The method `get` is sent as it is.",
        instead: "`unsupported`",
        why: "`URLRequest` makes it `GET`.",
        isOnLinuxOnly: false
    )
    static let addressAsHost = Difference(
        usual: "`http://[::1]/` is a valid URL.",
        instead: "`unsupported`",
        why: "FoundationNetworking compares the host with libcurl's, which has the brackets."
    )
    static let deadConnection = Difference(
        usual: "A body is sent again when a kept connection turns out to be dead.",
        instead: "`timedOut`, `connectionLost`",
        why: "FoundationNetworking does not go back to the start of the body when libcurl repeats the request."
    )
    static let phases = Difference(
        usual: "`connect` has a timer of its own.",
        instead: "`firstByte` (`idle` while a body is sent) begins with the task and covers it; alone it is refused.",
        why: "`URLSession` does not tell when a connection is there.",
        isOnLinuxOnly: false
    )
    static let extraFields = Difference(
        usual: "Nothing but `Host`, `User-Agent`, `Accept-Encoding` and the body's length is added.",
        instead: "Also `Accept`, `Accept-Language` and `Connection`; repeated fields are joined, `Cookie` by `; `.",
        why: "`URLSession` adds them; `URLRequest` has one value for each name.",
        isOnLinuxOnly: false
    )
    static let backPressure = Difference(
        usual: "A slow reader of a stream slows the server down.",
        instead: "Beyond 1 MiB the chunks wait in a temporary file, 4 GiB at most.",
        why: "FoundationNetworking cannot pause a transfer; a suspended task starts again."
    )
    static let streamedLength = Difference(
        usual: "A body from a sequence is sent while it comes, chunked without a length.",
        instead: "It is read first, beyond 1 MiB into a temporary file, and sent with `Content-Length`.",
        why:
            "FoundationNetworking takes \"no bytes now\" for the end of a stream; both platforms ask with a call that blocks.",
        isOnLinuxOnly: false
    )
    static let decodedProgress = Difference(
        usual: "Progress counts the bytes of the wire.",
        instead: "Of coded content it counts the decoded bytes, and their number is not known beforehand.",
        why: "`URLSession` hands over decoded content, whose length on the wire it does not tell.",
        isOnLinuxOnly: false
    )
    static let connectionCache = Difference(
        usual: "A connection is kept while other hosts are talked to.",
        instead: "It may be closed early.",
        why: "FoundationNetworking keeps four connections for each running task, whatever their hosts."
    )
    static let busyWait = Difference(
        usual: "An exchange that waits for its server costs nothing.",
        instead: "It costs about half a processor core.",
        why: "FoundationNetworking goes on asking whether a connection can be written when it only wants to read."
    )
    static let wireOnly = Difference(
        subjects: [.mock],
        usual: "Connections, framing and compression are the wire's.",
        instead: "There are none.",
        why: "A mock has no wire.",
        isOnLinuxOnly: false
    )
}
