import TestSupport

/// A case of `xchacha20_poly1305_test.json` of Project Wycheproof (C2SP/wycheproof, version 0.9rc5, Apache 2.0).
///
/// A choice of its 315, of each kind some: the key, the nonce, what is authenticated, the text, and the text as it is sealed.
struct SealVector: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let isValid: Bool
    private let parts: [Substring: Data]

    subscript(_ name: Substring) -> Data { parts[name, default: Data()] }

    static let all: [SealVector] = {
        var vectors: [SealVector] = []
        var head: [Substring] = []
        var parts: [Substring: Data] = [:]
        func end() {
            guard head.count == 3 else { return }
            let description = "\(head[0]) \(head[1])"
            vectors.append(SealVector(testDescription: description, isValid: head[2] == "valid", parts: parts))
            parts = [:]
        }
        for line in table.split(separator: "\n") {
            let words = line.split(separator: " ")
            if words.count == 3 {
                end()
                head = words
            } else {
                parts[words[0], default: Data()] += Hex.decode(words[1]) ?? []
            }
        }
        end()
        return vectors
    }()

    private static let table = """
        1 Ktv valid
        key 808182838485868788898a8b8c8d8e8f909192939495969798999a9b9c9d9e9f
        nonce 404142434445464748494a4b4c4d4e4f5051525354555657
        data 50515253c0c1c2c3c4c5c6c7
        text 4c616469657320616e642047656e746c656d656e206f662074686520636c617373206f66202739393a204966204920636f756c
        text 64206f6666657220796f75206f6e6c79206f6e652074697020666f7220746865206675747572652c2073756e73637265656e20
        text 776f756c642062652069742e
        sealed bd6d179d3e83d43b9576579493c0e939572a1700252bfaccbed2902c21396cbb731c7f1b0b4aa6440bf3a82f4eda7e39ae64c6
        sealed 708c54c216cb96b72e1213b4522f8c9ba40db5d945b11b69b982c1bb9e3f3fac2bc369488f76b2383565d3fff921f9664c9763
        sealed 7da9768812f615c68b13b52ec0875924c1c7987947deafd8780acf49
        2 Pseudorandom valid
        key ab1562faea9f47af3ae1c3d6d030e3af230255dff3df583ced6fbbcbf9d606a9
        nonce 6a5e0c4617e07091b605a4de2c02dde117de2ebd53b23497
        sealed e2697ea6877aba39d9555a00e14db041
        62 Pseudorandom valid
        key 98362eff7af1e38d3d77d4a013bb6bf3fb3690568bf897651c578b21572fd37e
        nonce cb52ad5674aff0762ef49fb3bed4722dcef2bcbc4f3c316a
        text a40610eaf3a823c06936293473ca36a2952d0eb5e5bbc18be123a07f8bc8
        sealed aa6edcb0f49535b2d2fa2e5f0b29343ba0c9c1667c401c78a3a8b8a61ad298d5e90a5a64e411c98d7c9e91557f5c
        114 Pseudorandom valid
        key be568ff6d60aeadd7df5d5bacc1e71890eb193e8378e536b213d57de22b5ad10
        nonce aaa41f115ebd0a62af455052331873c74b1be3352efac5d0
        data d419f50d9a16c23752e71952d9c30202d1cd9da6ec9262dc14f3e02abe9becf16352a9af8d6653dcc726bc4d9e20236f1b28ec
        data 9b203bf963531aa12055999060ee1b6f0504143b825f1e193bec3141e559d08a033473c6389957cf641c5e7b1aec0b180dbb9d
        data a18a9f2e0169668e363db2e702fd2e75e97cf5c0d499bdbcae61
        text 94dfe2a79f4ca9aa641834fc29913f33
        sealed b9e997ba66925921ef1c9d5c586ba7bd8aea703cdce04ad9487235f115a5233c
        138 EdgeCaseCiphertext valid
        key 808182838485868788898a8b8c8d8e8f909192939495969798999a9b9c9d9e9f
        nonce 000102030405060708090a0b0c0d0e0f1011121314151617
        data 7fffffff7fffffff7fffffff7fffffff
        text 1f1d7570f6520dcfa55486d3eb20141819125abda83f6d2603348afe3790395c6136a9730d589dd6108997a4565a06fcb4fe67
        text 8d552f8e429d64b75952c980c4
        sealed 7fffffff7fffffff7fffffff7fffffff7fffffff7fffffff7fffffff7fffffff7fffffff7fffffff7fffffff7fffffff7fffff
        sealed ff7fffffff7fffffff7fffffff1ea55841efece2587f6f72c2a2d1e329
        146 ModifiedTag invalid
        key 202122232425262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f
        nonce 000102030405060708090a0b0c0d0e0f1011121314151617
        data 000102
        sealed 0418b3e73e52c3be2eaba76807b784e1
        170 ModifiedTag invalid
        key 202122232425262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f
        nonce 000102030405060708090a0b0c0d0e0f1011121314151617
        data 000102
        text 000102030405060708090a0b0c0d0e0f
        sealed b70886f2313d015e1fe741365f5e35f12564a84e1a360e8352971c8110885031
        206 EdgeCasePolyKey valid
        key 606162636465666768696a6b6c6d6e6f707172737475767778797a7b7c7d7e7f
        nonce 000102030405060708090a0b0c0d0e0f101112133e8775b2
        data ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff
        data ffffffffffffffffffffffffff
        text 7ee395bd21ada42ed12310d34918a28e596a49ee7a22f623d756b896663f68733e6c71a344f4726ac24e330679f25e492be086
        text 03aaa23f1e88c10299047c8e585983332a8b6eadcd9b6061b63fe3b58a2021b38c7cf379fe9a9f6d114f3cfe422f91af78c6fd
        text 87d4269af0e3e471abed457ae75c027e134c96cf4d9a4a646288
        sealed ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff
        sealed ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff
        sealed ffffffffffffffffffffffffffffffffffffffffffffffffffff4921f7c24a2d42f4da7ad9d45e8ec26c
        216 EdgeCaseTag valid
        key 404142434445464748494a4b4c4d4e4f505152535455565758595a5b5c5d5e5f
        nonce 000102030405060708090a0b0c0d0e0f1011121314151617
        data abffffffffffffffffffffffffffffff5a20e89e14ed5af85da66b5e4bdbe002
        text 660336ffb732a4dcda556c2539d3d2de6cdaed0d7d9104593f8ed69bf0db8aa33c0e746482b7dc53d40b8a5331ca33b874639c
        text dc7a787badd436bcd56e798af3
        sealed ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff
        sealed ffffffffffffffffffffffffff000102030405060708090a0b0c0d0e0f
        223 EdgeCasePoly1305 valid
        key 000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f
        nonce 000102030405060708090a0b0c0d0e0f101112130bc672c3
        data ffffffff
        text ceb62cbb6fdf40d883c45cb4b0a82da13e4866c40629725ae6d371e4d8ad3a8f0cc553287840e73cc66c3066e115108b995d6f
        text 8990f1b8db1b0c1d14b5157441789895de7fe538acf5c6ceb56e54a73d
        sealed 113caf3ebbe98a82548702641e4b4fbaffffffffffffffffffffffffffffffff3708d0f8f5cf1fea3d966ff22dac4cf1ffffff
        sealed ffffffffffffffffffffffffff3708d0f8f5cf1fea3d966ff22dac4cf1e0f1d382b53c44a2e7228920468fc301
        307 InvalidNonceSize invalid
        key 202122232425262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f
        311 InvalidNonceSize invalid
        key 202122232425262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f
        nonce 000102030405060708090a0b0c
        315 InvalidNonceSize invalid
        key 202122232425262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f
        nonce 000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f
        """
}
