/// The words for secrets: the only list, as `.ci/check-tree` verifies.
enum SecretTable {
    /// What a word, or a run of up to four words, means for a name.
    struct Roles: OptionSet {
        let rawValue: UInt16

        /// A secret at any position.
        static let secret = Roles(rawValue: 1)
        /// A secret as the last word, with all texts inside.
        static let token = Roles(rawValue: 2)
        /// A secret as the last word.
        static let ending = Roles(rawValue: 4)
        /// The same, but for a member only after another word: `{"key": …, "value": …}` is no secret.
        static let memberEnding = Roles(rawValue: 8)
        /// The same for a field or an item, but not in a document.
        static let outside = Roles(rawValue: 16)
        /// Secret as the whole name of an item.
        static let item = Roles(rawValue: 32)
        /// Harmless as the end of a name, whatever precedes it.
        static let harmless = Roles(rawValue: 64)
        /// As the last word, describes a secret without being one.
        static let about = Roles(rawValue: 128)
        /// Has no meaning after the word that a name is about.
        static let filling = Roles(rawValue: 256)
        /// Casts doubt on the name of a field or an item.
        static let doubt = Roles(rawValue: 512)
        /// Casts doubt on the name of a field: it may identify the user.
        static let user = Roles(rawValue: 1024)
        /// The same as the last word.
        static let userEnding = Roles(rawValue: 2048)
        /// A secret only as a member: `max_tokens=9` in a query counts.
        static let member = Roles(rawValue: 8192)
        /// Holds the secret in an object that is named for one.
        static let inside = Roles(rawValue: 4096)
    }

    static let neverHarmless = ["Authorization", "Proxy-Authorization", "Cookie", "Set-Cookie"]

    /// The prefixes of well-known keys.
    static let tokenStarts = [
        "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "gldt-", "sk-ant-", "sk-proj-", "sk_live_",
        "sk_test_", "rk_live_", "rk_test_", "whsec_", "xoxa-", "xoxb-", "xoxp-", "xoxr-", "xoxs-", "xapp-", "AKIA",
        "ASIA", "AIza", "ya29.", "SG.", "hf_", "npm_", "pypi-", "dop_v1_", "shpat_", "shpss_", "hvs.",
    ]

    /// The first bytes of these prefixes: values with another first byte are not compared.
    static let beginsToken = tableOfTokens(at: 0)

    /// Their second bytes.
    static let continuesToken = tableOfTokens(at: 1)

    private static func tableOfTokens(at index: Int) -> [Bool] {
        var table = [Bool](repeating: false, count: 256)
        for start in tokenBytes { table[Int(start[index])] = true }
        return table
    }

    /// The beginnings of all tokens of known forms.
    static let tokenBytes = (tokenStarts + ["eyJ", "-----BEGIN"]).map { Array($0.utf8) }

    /// Last words of fields whose values begin with the name of a scheme, which is no secret.
    static let schemed = ["authorization", "authentication", "auth"]

    /// Schemes that precede credentials in sentences, too.
    static let schemes = ["bearer", "basic"]

    /// WebSocket protocols after which a token is listed as the next one.
    static let protocols = ["bearer", "access_token", "authorization", "token", "jwt"]

    /// The beginnings of WebSocket protocols whose rest is a token.
    static let protocolStarts = ["bearer.authorization.k8s.io.", "bearer.", "token.", "auth."]

    /// One-word names that are followed by a secret after a colon; others begin a sentence.
    static let lines = ["authorization", "cookie", "password"]

    static let words = WordTable(lists)

    private static let lists: [(Roles, String)] = [
        (
            .secret,
            """
            password passwords passwd pwd pswd passphrase passcode secret secrets credential credentials creds authorization
            jwt jws otp totp hotp bearer cvv cvc hmac csrf xsrf saml assertion wsse dpop mnemonic hdnts hdnea hdntl
            accesskey accesskeys accesskeyid awsaccesskeyid accesstoken accesscode apikey apikeys apitoken apisecret appkey
            appsecret apptoken applicationkey authkey authtoken authcode authcookie authenticationinfo authenticitytoken
            antiforgerytoken requestverificationtoken accountkey backupcode backupcodes bottoken clientsecret clientassertion
            clienttoken codeverifier confirmpassword connectionstring consumerkey consumersecret cookiesecret csrftoken
            currentpassword dbpassword deploytoken devicecode devicetoken encryptedpassword encryptionkey fcmtoken
            functionskey hapikey hashedpassword hmackey idtoken jpassword jsessionid keypassword keystorepassword licensekey
            logincode loginpassword logintoken masterkey mfacode mfatoken newpassword oauthsignature oauthtoken
            oauthverifier oldpassword onetimecode onetimepassword onetimetoken otpcode passwordconfirm
            passwordconfirmation passwordhash personalaccesstoken phpsessid aspsessionid pincode plainpassword privatekey
            privatetoken privkey proxypassword pushtoken recoverycode recoverycodes recoveryphrase refreshtoken
            registrationtoken repeatpassword requesttoken resetcode resettoken rootpassword samlrequest samlresponse
            seedphrase secretaccesskey secretkey secrettoken securitycode securitytoken servicetoken sessid sessioncookie
            sessionid sessionids sessionkey sessiontoken sharedaccesskey sharedaccesssignature sharedkey sharedsecret
            signaturekey signingkey signingsecret smscode smtppassword sshkey ssotoken storagekey subscriptionkey
            subscriptionkeys tokensecret truststorepassword upsig urlsignature userpass userpassword usertoken
            vaulttoken verificationcode verificationtoken webhooksecret webtoken xaccesstoken xapikey xamzcredential
            xamzsecuritytoken xamzsignature xauthtoken xcsrftoken xgoogcredential xgoogsignature xsessionid xsrftoken
            """
        ),
        (.token, "token pass pin"), (.member, "tokens signatures"),
        (.ending, "session signature sig auth xauth authentication cookie cookies"), (.memberEnding, "key"),
        (.outside, "sid ticket sas"),
        (.item, "code state key session auth sid ticket deviceid identifier authorizationcode"),
        (.doubt, "session auth oauth token cookie authentication"),
        (
            .user,
            """
            userid useruuid accountid customerid tenantid clientid deviceid memberid subscriberid installationid profileid
            personid employeeid remoteuser authuser clientcert clientcertchain clientdn impersonate impersonation
            """
        ),
        (.userEnding, "user users username account tenant email uid principal subject identity login"),
        (
            .about,
            """
            type types kind count counts length expires expire expiry expiration expired expiring ttl age lifetime duration
            timeout limit limits policy policies enabled disabled required requirement requirements status version versions
            algorithm algorithms alg format strength method methods supported provider providers endpoint endpoints url uri
            link href path file server servers issuer audience scope scopes budget usage details at in on per second
            minute hour day date time timestamp index position name names label title description created updated
            changed rotated used remaining total valid invalid error errors message location field fields prefix mode
            """
        ),
        (
            .filling,
            """
            value values val raw string text data plain plaintext hash hashed sha ed rsa ecdsa md base b hex v encoded
            encrypted header param parameter confirmation confirm repeat again
            """
        ),
        (.inside, "value id access refresh secret key data raw text string hash current code"),
        (
            .harmless,
            """
            pagetoken nextpagetoken prevpagetoken previouspagetoken nexttoken nextbatchtoken continuationtoken cursortoken
            synctoken nextsynctoken paginationtoken pagingtoken scrolltoken resumetoken deltatoken skiptoken starttoken
            endtoken markertoken watermarktoken changetoken bookmarktoken stoptoken stoptokens eostoken bostoken padtoken
            masktoken unktoken septoken clstoken specialtoken specialtokens inputtokens outputtokens prompttokens
            completiontokens totaltokens maxtokens allowcredentials
            idempotencykey cachekey surrogatekey primarykey foreignkey sortkey sortingkey partitionkey publickey rowkey
            routingkey hashkey rangekey uniquekey compositekey messagekey objectkey translationkey dedupkey dedupekey
            deduplicationkey groupkey groupingkey orderkey orderingkey lookupkey issuekey projectkey eventkey websocketkey
            indexkey shardkey bucketkey hotkey shortcutkey naturalkey businesskey candidatekey correlationkey mapkey
            entrykey itemkey localekey labelkey tagkey metadatakey propertykey columnkey mergekey conflictkey
            concurrencykey ratelimitkey featurekey flagkey experimentkey settingkey preferencekey templatekey
            sessionaffinity boardingpass firstpass secondpass multipass singlepass bypass lowpass highpass seasonpass
            daypass mappin droppin pushpin functionsignature methodsignature typesignature timesignature emailsignature
            acceptsignature fetchuser
            """
        ),
    ]

    /// Fields that nearly all requests and responses have; they are harmless.
    static let commonFields = NameTable(
        """
        accept accept-charset accept-encoding accept-language accept-ranges age cache-control connection content-encoding
        content-language content-length content-location content-range content-type date etag expect expires host
        if-match if-modified-since if-none-match if-range if-unmodified-since idempotency-key last-modified link
        location pragma priority range referer retry-after server te traceparent tracestate trailer transfer-encoding
        upgrade user-agent vary via warning www-authenticate x-request-id
        """
    )

    /// Items that many queries have; they are harmless.
    static let commonItems = NameTable(commonItemNames)
    static let commonItemNames = """
        after before category count country currency cursor direction end expand fields filter format from id ids include
        interval lang language limit locale max min offset order order_by page page_number page_size per_page perpage
        query range search since size skip sort sort_by start status symbol tag tags to type until version year
        """

    /// FNV-1a of letters in lower case.
    static func hash(_ letters: some Sequence<UInt8>) -> UInt64 {
        letters.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64(Headers.lowered($1))) &* 0x0000_0100_0000_01B3 }
    }
}

/// Roles by the hash of a word, much faster than a dictionary; a collision would only add one more secret.
struct WordTable: Sendable {
    private var keys: [UInt64]
    private var roles: [UInt16]

    init(_ lists: [(SecretTable.Roles, String)]) {
        let words = lists.flatMap { roles, text in text.split(whereSeparator: \.isWhitespace).map { ($0, roles) } }
        var size = 64
        while size < words.count * 2 { size *= 2 }
        (keys, roles) = (Array(repeating: 0, count: size), Array(repeating: 0, count: size))
        for (word, role) in words {
            let hash = SecretTable.hash(word.utf8)
            let place = place(of: hash)
            keys[place] = hash
            roles[place] |= role.rawValue
        }
    }

    private func place(of hash: UInt64) -> Int {
        let mask = keys.count - 1
        var place = Int(truncatingIfNeeded: hash) & mask
        while keys[place] != hash, keys[place] != 0 { place = (place + 1) & mask }
        return place
    }

    subscript(hash: UInt64) -> SecretTable.Roles { SecretTable.Roles(rawValue: roles[place(of: hash)]) }
}

/// Names of fields, compared as a few machine words instead of letter by letter, but exactly for letters and `-`.
///
/// `@unchecked Sendable`: it is immutable. Created once and never freed, so that a look-up counts no references.
struct NameTable: @unchecked Sendable {
    /// A name of up to 24 letters: its first, middle and last eight cover all of it.
    private struct Key: Equatable {
        let count: UInt64
        let first: UInt64
        let middle: UInt64
        let last: UInt64

        static let none = Key()

        private init() { (count, first, middle, last) = (0, 0, 0, 0) }

        @inline(__always)
        init?(_ name: UnsafeBufferPointer<UInt8>) {
            guard let start = name.baseAddress.map({ UnsafeRawPointer($0) }), (2...24).contains(name.count) else {
                return nil
            }
            let length = name.count
            count = UInt64(length)
            if length >= 8 {
                first = Self.word(start)
                middle = Self.word(start + length / 2 - 4)
                last = Self.word(start + length - 8)
            } else if length >= 4 {
                let halves = (start.loadUnaligned(as: UInt32.self), (start + length - 4).loadUnaligned(as: UInt32.self))
                first = (UInt64(halves.0) | UInt64(halves.1) << 32) | Self.lowered
                (middle, last) = (0, 0)
            } else {
                first = (UInt64(name[0]) | UInt64(name[1]) << 8 | UInt64(name[length - 1]) << 16) | Self.lowered
                (middle, last) = (0, 0)
            }
        }

        /// The bit makes letters lower case; `-` and digits already have it.
        private static let lowered: UInt64 = 0x2020_2020_2020_2020

        @inline(__always)
        private static func word(_ start: UnsafeRawPointer) -> UInt64 {
            start.loadUnaligned(as: UInt64.self) | lowered
        }

        @inline(__always)
        func place(in size: Int) -> Int {
            let mixed = (first ^ last &* 31 ^ count) &* 0x9E37_79B9_7F4A_7C15
            return Int(truncatingIfNeeded: mixed >> 32) & (size - 1)
        }
    }

    private let keys: UnsafeMutableBufferPointer<Key>

    /// Creates a table of names separated by white space.
    init(_ text: String) {
        let names = text.split(whereSeparator: \.isWhitespace)
        var size = 64
        while size < names.count * 4 { size *= 2 }
        keys = .allocate(capacity: size)
        keys.initialize(repeating: .none)
        for name in names {
            guard let key = Array(name.utf8).withUnsafeBufferPointer({ Key($0) }) else { continue }
            keys[place(of: key)] = key
        }
    }

    /// The index of a name, or where it would be inserted.
    @inline(__always)
    private func place(of key: Key) -> Int {
        var place = key.place(in: keys.count)
        while keys[place].count != 0, keys[place] != key { place = (place + 1) & (keys.count - 1) }
        return place
    }

    /// Whether a name is one of them, in any case.
    @inline(__always)
    func contains(_ name: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let key = Key(name) else { return false }
        return keys[place(of: key)].count != 0
    }
}
