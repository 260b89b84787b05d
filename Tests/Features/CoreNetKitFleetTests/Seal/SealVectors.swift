import TestSupport

/// A case of `xchacha20_poly1305_test.json` of Project Wycheproof (C2SP/wycheproof, version 0.9rc5, Apache 2.0).
///
/// A choice of its 315, of each kind some: the key, the nonce, what is authenticated, the text, and the text as it is sealed.
struct SealVector: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let isValid: Bool
    private let parts: [String: [UInt8]]

    var key: [UInt8] { parts["key", default: []] }
    var nonce: [UInt8] { parts["nonce", default: []] }
    var data: [UInt8] { parts["data", default: []] }
    var text: [UInt8] { parts["text", default: []] }
    var sealed: [UInt8] { parts["sealed", default: []] }

    static let all: [SealVector] = {
        var vectors: [SealVector] = []
        var head: [Substring] = []
        var parts: [String: [UInt8]] = [:]
        func end() {
            guard head.count == 3 else { return }
            vectors.append(
                SealVector(testDescription: "\(head[0]) \(head[1])", isValid: head[2] == "valid", parts: parts)
            )
            parts = [:]
        }
        for line in table.split(separator: "\n") {
            let words = line.split(separator: " ")
            if words.count == 3 {
                end()
                head = words
            } else {
                parts[String(words[0]), default: []] += Hex.decode(words[1]) ?? []
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
        22 Pseudorandom valid
        key e421bb3269130c731d1947e7b5d233c11d195ceed1d08634743db9c252bfefa5
        nonce 21b40036745f64b2aab3e89665cf4dab2b690d88721fe9a3
        text 1155c7f0ee3e1faa641e
        sealed 8bd51b64fcd244f0b3aadbdd1558934b83ae4393ade73e9edadb
        42 Pseudorandom valid
        key 40e231268005ff28c36bd00167ea39131d262f3a591b0d1508c11b00ed04a0b6
        nonce 5fb9a00843c4b192bf6c3bc29451c237f30a607d3c637b85
        text d34b950a1c4f2ae5c94a1fddd6574c5d9c0ab18f
        sealed 4ad85a75f1a975bbf3ee5302b71949036e3a2198b82c05b09328949aa70bb537e871cd70
        62 Pseudorandom valid
        key 98362eff7af1e38d3d77d4a013bb6bf3fb3690568bf897651c578b21572fd37e
        nonce cb52ad5674aff0762ef49fb3bed4722dcef2bcbc4f3c316a
        text a40610eaf3a823c06936293473ca36a2952d0eb5e5bbc18be123a07f8bc8
        sealed aa6edcb0f49535b2d2fa2e5f0b29343ba0c9c1667c401c78a3a8b8a61ad298d5e90a5a64e411c98d7c9e91557f5c
        94 Pseudorandom valid
        key 9b0400ac1a917c7571430b78eca2c108e1824a078f21eb1995bfeae7fcc51f83
        nonce 91752e5f97bdadb6a9811c2144e27f73baa9458b6c58c9a0
        data d0926a
        text 2b512160837e427a04c6bd9105cd2304
        sealed f95dda4c5457dae8daffdf0ba5439ba73e97e87d976efe3de7d84df933ac980d
        114 Pseudorandom valid
        key be568ff6d60aeadd7df5d5bacc1e71890eb193e8378e536b213d57de22b5ad10
        nonce aaa41f115ebd0a62af455052331873c74b1be3352efac5d0
        data d419f50d9a16c23752e71952d9c30202d1cd9da6ec9262dc14f3e02abe9becf16352a9af8d6653dcc726bc4d9e20236f1b28ec
        data 9b203bf963531aa12055999060ee1b6f0504143b825f1e193bec3141e559d08a033473c6389957cf641c5e7b1aec0b180dbb9d
        data a18a9f2e0169668e363db2e702fd2e75e97cf5c0d499bdbcae61
        text 94dfe2a79f4ca9aa641834fc29913f33
        sealed b9e997ba66925921ef1c9d5c586ba7bd8aea703cdce04ad9487235f115a5233c
        122 EdgeCaseCiphertext valid
        key 808182838485868788898a8b8c8d8e8f909192939495969798999a9b9c9d9e9f
        nonce 000102030405060708090a0b0c0d0e0f1011121314151617
        data 00000000000000000000000000000000
        text 60e28a8f89adf230daab792c94dfebe766eda542d7c092d97ccb7501486fc6a3
        sealed 000000000000000000000000000000000000000000000000000000000000000052ca5edfb3c4fca83d5776154188a08d
        130 EdgeCaseCiphertext valid
        key 808182838485868788898a8b8c8d8e8f909192939495969798999a9b9c9d9e9f
        nonce 000102030405060708090a0b0c0d0e0f1011121314151617
        data 00000080000000800000008000000080
        text 60e28a0f89adf2b0daab79ac94dfeb6766eda5c2d7c092597ccb7581486fc6231ec9560c72a762a96f7668db29a5f983cb0198
        text f22ad0713de29b48262d367fbb1e90911140f50107df7df4acaa3728f538c16dc81265dee2bbf98ca35d595c024575ac533c51
        text e2f1f13844e73cb5da7d249dbdb94b866cb4aecd42457f263065
        sealed 000000800000008000000080000000800000008000000080000000800000008000000080000000800000008000000080000000
        sealed 800000008000000080000000800000008000000080000000800000008000000080000000800000008000000080000000800000
        sealed 00800000008000000080000000800000008000000080000000803b1dbe65bafcd37fdb15b34fafabc07f
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
        154 ModifiedTag invalid
        key 202122232425262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f
        nonce 000102030405060708090a0b0c0d0e0f1011121314151617
        data 000102
        sealed 0518b3e73e52c3be2faba76807b784e1
        162 ModifiedTag invalid
        key 202122232425262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f
        nonce 000102030405060708090a0b0c0d0e0f1011121314151617
        data 000102
        sealed 0518b3e73e52c3be2eaba76807b78461
        170 ModifiedTag invalid
        key 202122232425262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f
        nonce 000102030405060708090a0b0c0d0e0f1011121314151617
        data 000102
        text 000102030405060708090a0b0c0d0e0f
        sealed b70886f2313d015e1fe741365f5e35f12564a84e1a360e8352971c8110885031
        178 ModifiedTag invalid
        key 202122232425262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f
        nonce 000102030405060708090a0b0c0d0e0f1011121314151617
        data 000102
        text 000102030405060708090a0b0c0d0e0f
        sealed b70886f2313d015e1fe741365f5e35f12564a8ce1a360e8352971c8112885031
        186 ModifiedTag invalid
        key 202122232425262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f
        nonce 000102030405060708090a0b0c0d0e0f1011121314151617
        data 000102
        text 000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f20
        sealed b70886f2313d015e1fe741365f5e35f1080e0f78ccfb51809417e879689418ef988161d3df064071df8082a0f813417f05
        194 ModifiedTag invalid
        key 202122232425262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f
        nonce 000102030405060708090a0b0c0d0e0f1011121314151617
        data 000102
        text 000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f20
        sealed b70886f2313d015e1fe741365f5e35f1080e0f78ccfb51809417e879689418ef988061d3df064071df8182a0f813417f05
        202 ModifiedTag invalid
        key 202122232425262728292a2b2c2d2e2f303132333435363738393a3b3c3d3e3f
        nonce 000102030405060708090a0b0c0d0e0f1011121314151617
        data 000102
        text 000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f20
        sealed b70886f2313d015e1fe741365f5e35f1080e0f78ccfb51809417e879689418ef988061d3df064071df8082a0f813417f85
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
        208 EdgeCasePolyKey valid
        key 606162636465666768696a6b6c6d6e6f707172737475767778797a7b7c7d7e7f
        nonce 000102030405060708090a0b0c0d0e0f101112130700b982
        data ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff
        data ffffffffffffffffffffffffff
        text 68c67272036fb652a0182eeb4781358e4704a4a702fd731bf3b3ea994717989e7d9104e0ae81732a8c7e9a82b3d31d541761a3
        text 66b67c3396f1a6c67e293ddb65a59e42541dda144dc6c78388cfca982e23350958ac5b3d54a1722fd64733577862e1879c9e94
        text 45ebdec5315d1706db7ebbedd4c779935e72057e5b0ecde0814d
        sealed ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff
        sealed ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff
        sealed ffffffffffffffffffffffffffffffffffffffffffffffffffff3661dc6ddd1852221050ff5b8d58c13f
        210 EdgeCasePolyKey valid
        key 606162636465666768696a6b6c6d6e6f707172737475767778797a7b7c7d7e7f
        nonce 000102030405060708090a0b0c0d0e0f101112133f1a8eb1
        data ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff
        data ffffffffffffffffffffffffff
        text 85e40e2106db6aba0fb236d3c980a72e58ce538db7aa3b0326a23d52175c7465c454d8206b4d8aedd51d8cc47424f6124d2586
        text 370f4eb51153d215e48347abf8791a6d6d3da4871ab2c0fe5718878c3942365fc75887e6ea6e779911f883fe90b6c0e5870769
        text a860cf619f91c7eeaad69212325404ec4de4d3ab5e7aa89537a4
        sealed ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff
        sealed ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff
        sealed ffffffffffffffffffffffffffffffffffffffffffffffffffffecccb94178b76a769c91c27d921fcc6c
        212 EdgeCasePolyKey valid
        key 606162636465666768696a6b6c6d6e6f707172737475767778797a7b7c7d7e7f
        nonce 000102030405060708090a0b0c0d0e0f101112130c807a72
        data ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff
        data ffffffffffffffffffffffffff
        text a76c330e015060a17e64cb7b6d753f201f75be8759fd7539fb92b22aef54c9d3029dba0c15cbf7c95135888319c6b2e6276da2
        text 1e0c351fd522b29aabb5883a3291d6f427de773b124390ef6fd96621ffbc42dfbf7a34da272cbc9ccb1a498d078033d1ac3bf7
        text e92715948b06d69d5c5039e9164ba9c3a02219ec5908206b3bd2
        sealed ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff
        sealed ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff
        sealed ffffffffffffffffffffffffffffffffffffffffffffffffffff8691693787763ec6c7bf957658b51370
        214 EdgeCasePolyKey valid
        key 606162636465666768696a6b6c6d6e6f707172737475767778797a7b7c7d7e7f
        nonce 000102030405060708090a0b0c0d0e0f1011121308cb0f3f
        data ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff
        data ffffffffffffffffffffffffff
        text c7d843188ab193dfef5c4daf583f952cd4b195f240fa2e704d021723023c123371a41e87dfc6e6c3874a42f331cf035988a38c
        text 72ba2da854b1208f98bf8cc29948169481ab3a402d5fcc7ff78f9e31925576dc3938074b8c5b27960e3afc750ad686563688b7
        text 441787288d5256c1301d563b7744843bd1ab4eff5be6f1653d44
        sealed ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff
        sealed ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff
        sealed ffffffffffffffffffffffffffffffffffffffffffffffffffff834c91a6580bf514dfcb5e2f456efe3c
        216 EdgeCaseTag valid
        key 404142434445464748494a4b4c4d4e4f505152535455565758595a5b5c5d5e5f
        nonce 000102030405060708090a0b0c0d0e0f1011121314151617
        data abffffffffffffffffffffffffffffff5a20e89e14ed5af85da66b5e4bdbe002
        text 660336ffb732a4dcda556c2539d3d2de6cdaed0d7d9104593f8ed69bf0db8aa33c0e746482b7dc53d40b8a5331ca33b874639c
        text dc7a787badd436bcd56e798af3
        sealed ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff
        sealed ffffffffffffffffffffffffff000102030405060708090a0b0c0d0e0f
        218 EdgeCaseTag valid
        key 404142434445464748494a4b4c4d4e4f505152535455565758595a5b5c5d5e5f
        nonce 000102030405060708090a0b0c0d0e0f1011121314151617
        data a8ffffffffffffffffffffffffffffff57599fb21558a903b6a3193419537e06
        text 660336ffb732a4dcda556c2539d3d2de6cdaed0d7d9104593f8ed69bf0db8aa33c0e746482b7dc53d40b8a5331ca33b874639c
        text dc7a787badd436bcd56e798af3
        sealed ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff
        sealed ffffffffffffffffffffffffffffffffffffffffffffffffffffffffff
        220 EdgeCaseTag valid
        key 404142434445464748494a4b4c4d4e4f505152535455565758595a5b5c5d5e5f
        nonce 000102030405060708090a0b0c0d0e0f1011121314151617
        data f9ffffffffffffffffffffffffffffff169a825d7ecbf7e107396a2a3dfb4508
        text 660336ffb732a4dcda556c2539d3d2de6cdaed0d7d9104593f8ed69bf0db8aa33c0e746482b7dc53d40b8a5331ca33b874639c
        text dc7a787badd436bcd56e798af3
        sealed ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff
        sealed ffffffffffffffffffffffffffffffff7fffffff7fffffff7fffffff7f
        222 EdgeCaseTag valid
        key 404142434445464748494a4b4c4d4e4f505152535455565758595a5b5c5d5e5f
        nonce 000102030405060708090a0b0c0d0e0f1011121314151617
        data d7ffffffffffffffffffffffffffffffa6627ce99c9c49deb89855b0f9e3f407
        text 660336ffb732a4dcda556c2539d3d2de6cdaed0d7d9104593f8ed69bf0db8aa33c0e746482b7dc53d40b8a5331ca33b874639c
        text dc7a787badd436bcd56e798af3
        sealed ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff
        sealed ffffffffffffffffffffffffffffffffff000000000000000000000000
        223 EdgeCasePoly1305 valid
        key 000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f
        nonce 000102030405060708090a0b0c0d0e0f101112130bc672c3
        data ffffffff
        text ceb62cbb6fdf40d883c45cb4b0a82da13e4866c40629725ae6d371e4d8ad3a8f0cc553287840e73cc66c3066e115108b995d6f
        text 8990f1b8db1b0c1d14b5157441789895de7fe538acf5c6ceb56e54a73d
        sealed 113caf3ebbe98a82548702641e4b4fbaffffffffffffffffffffffffffffffff3708d0f8f5cf1fea3d966ff22dac4cf1ffffff
        sealed ffffffffffffffffffffffffff3708d0f8f5cf1fea3d966ff22dac4cf1e0f1d382b53c44a2e7228920468fc301
        228 EdgeCasePoly1305 valid
        key 000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f
        nonce 000102030405060708090a0b0c0d0e0f101112130bc672c3
        data ffffffff
        text 5a1ac415bf4a4cec651996d1d7e465e73e4866c40629725ae6d371e4d8ad3a8fc4b9103af8b8962cd168054f5b0c5e15995d6f
        text 8990f1b8db1b0c1d14b5157441b0e4d6ccff1d49bce2c2fb9cd44de9a3
        sealed 859047906b7c86b6b25ac801790707fcffffffffffffffffffffffffffffffffff7493ea75376efa2a925adb97b5026fffffff
        sealed ffffffffffffffffffffffffffff7493ea75376efa2a925adb97b5026f8cd9a8e2e567f1c558fa63d53642c5c5
        233 EdgeCasePoly1305 valid
        key 000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f
        nonce 000102030405060708090a0b0c0d0e0f101112130bc672c3
        data ffffffff
        text 20757c7a2bc935a528bca12f511c9de4d31fb639f3b874a66837b63ff839f21fc795addcfd3be3cdbba9c876d1880c059afabe
        text 7a1fba5c3fa4a0750957dbdbc1
        sealed ffffffffffffffffffffffffffffffff12a82f020a6ef903711b3824df6b376ffc582e0c70b41b1b405397e21d31507ffc582e
        sealed 0c70b41b1b405397e21d31507fafed73d8da9d8739f4f015ae7df44aac
        238 EdgeCasePoly1305 valid
        key 000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f
        nonce 000102030405060708090a0b0c0d0e0f101112130bc672c3
        data ffffffff
        text 60757c7a2bc935a528bca12f511c9de4d99f90973fd28582e4d1f031ecd46071fd327c2f727007290405a06b3346a385a0fcfb
        text 73e13c30e391a2445ae46a07b8896fbad975d5d8b937af5eb8bc0714334d4c7e02604288b0cbba67013c9b5d8d
        sealed bfffffffffffffffffffffffffffffff182809acc6040827fdfd7e2acb86a501c6ffffffffffffffffffffffffffffffc65e6b
        sealed 058e3277c77551a6b1ae808c06c6ffffffffffffffffffffffffffffffc65e6b058e3277c77551a6b1ae808c067f297e53b139
        sealed 808e9502ef74a859149f
        243 EdgeCasePoly1305 valid
        key 000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f
        nonce 000102030405060708090a0b0c0d0e0f101112130bc672c3
        data ffffffff
        text 61757c7a2bc935a528bca12f511c9de4d77679af35a19d32849ca367faf79d77374ce8b7587ec72cc6569a7a415c37e06a23fb
        text 11baff78ded95f2705c70fe024
        sealed beffffffffffffffffffffffffffffff16c1e094cc7710979db02d7cdda558070c816b67d5f13ffa3dacc5ee8de56b9a0c816b
        sealed 67d5f13ffa3dacc5ee8de56b9ab48e23d35e55823f3cf998b4509af5a9
        248 EdgeCasePoly1305 valid
        key 000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f
        nonce 000102030405060708090a0b0c0d0e0f101112130bc672c3
        data ffffffff
        text 6589beb1a8139fc7569e5c863cff95d63e4866c40629725ae6d371e4d8ad3a8fc7f11e2eda7e7b6ae3a71f559261ad12995d6f
        text 8990f1b8db1b0c1d14b5157441b3acd8d8dddba4fad00de1861d201aa4
        sealed ba033d347c25559d81dd0256921cf7cdfffffffffffffffffffffffffffffffffc3c9dfe57f183bc185d40c15ed8f168ffffff
        sealed fffffffffffffffffffffffffffc3c9dfe57f183bc185d40c15ed8f168c48494721457aaea39b2b8438934c69d
        253 EdgeCasePoly1305 valid
        key 000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f
        nonce 000102030405060708090a0b0c0d0e0f101112130552a411
        data ffffffff
        text e4d49dbb7713af3839101d4536e371839e9da1a61409887a4b4839276235bafe5a8ba863145d9c8167b57efba408c01fd353ee
        text 0fbd690f2389cb6d53cce41456
        sealed fdffffffffffffffffffffffffffffff6520364b2028c7aecbb8f72f33e4a90db0ff8c3f63ea471240bea3cb164ed04db0ff8c
        sealed 3f63ea471240bea3cb164ed04df763ababa9a7d11b623a2fd9e91bb377
        258 EdgeCasePoly1305 valid
        key 000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f
        nonce 000102030405060708090a0b0c0d0e0f101112130552a411
        data ffffffff
        text ccd49dbb7713af3839101d4536e37183b4eefd4c449626bc07adf993fb711ff1168bdba38848246cd8f422cf4db9efade8c9dc
        text 6630050571f33e314b2ec76019fbb93e2cbcf25b18c50df252541ec089dfdd67455949194e7a9861e99b2b0daf
        sealed d5ffffffffffffffffffffffffffffff4f536aa170b76968875d379baaa00c02fcffffffffffffffffffffffffffffff8b65be
        sealed 56ee864d403a4bffd3f46da402fcffffffffffffffffffffffffffffff8b65be56ee864d403a4bffd3f46da40238a713c61401
        sealed 7796442af1227d176a35
        263 EdgeCasePoly1305 valid
        key 000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f
        nonce 000102030405060708090a0b0c0d0e0f101112130552a411
        data ffffffff
        text c3d49dbb7713af3839101d4536e37183023f5d5bd1564fbe48fc3a28a30642fe158bdba38848246cd8f422cf4db9efad5e2511
        text 9113702f56ee1cc1f5efdb0b35f8b93e2cbcf25b18c50df252541ec0896931aab27a3c336967ba91575a376683
        sealed dafffffffffffffffffffffffffffffff982cab6e577006ac80cf420f2d7510dffffffffffffffffffffffffffffffff3d8973
        sealed a1cdf3676727690f6d3571cf2effffffffffffffffffffffffffffffff3d8973a1cdf3676727690f6d3571cf2ebef4a8ad5a34
        sealed c084b8a98921244af331
        268 EdgeCasePoly1305 valid
        key 000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f
        nonce 000102030405060708090a0b0c0d0e0f101112130552a411
        data ffffffff
        text 63f65842de9b27c2bdd1e3fc9335ebf704426812cbdeb02b7f0f31f7ae2eec0c2b8f4bbf208e40878cb387631a14bd1a9c539d
        text cf217cb7ce368a316725553be4c6bdae3014343ff3914a57fe03b3923e
        sealed 7add3a06567777057b3e01465a29658bffffffffffffffffffffffffffffffffc1fb6fe357399b14abb85a53a852ad48ffffff
        sealed ffffffffffffffffffffffffffc1fb6fe357399b14abb85a53a852ad480d2a9042b94827867b85d1915bf18864
        273 EdgeCasePoly1305 valid
        key 000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f
        nonce 000102030405060708090a0b0c0d0e0f101112130552a411
        data ffffffff
        text c0d49dbb7713af3839101d4536e3718377417ace069aa201e93e94471fbc6bf2158bdba38848246cd8f422cf4db9efad91a8f7
        text e9761cae9ee9c21b1e5e7864e3f8b93e2cbcf25b18c50df252541ec089a6bc4cca1f50b2a160644bbceb940955
        sealed d9ffffffffffffffffffffffffffffff8cfced2332bbedd569ce5a4f4e6d7801fffffffffffffffffffffffffffffffff20495
        sealed d9a89fe6af20b7d58684d2a0f8fffffffffffffffffffffffffffffffff20495d9a89fe6af20b7d58684d2a0f8d5d135d4f35b
        sealed 489e5026342de1fe904d
        278 EdgeCasePoly1305 valid
        key 000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f
        nonce 000102030405060708090a0b0c0d0e0f101112130552a411
        data ffffffff
        text c9d49dbb7713af3839101d4536e37183441ecb2b2acd21814d88694cf932b5f10d8bdba38848246cd8f422cf4db9efadea2618
        text b76c66c6d7e5c926b9fd56d511e0b93e2cbcf25b18c50df252541ec089dd32a394052adae86c6f761b48bab8a7
        sealed d0ffffffffffffffffffffffffffffffbfa35cc61eec6e55cd78a744a8e3a602e7ffffffffffffffffffffffffffffff898a7a
        sealed 87b2e58ee62cbce82127fc110ae7ffffffffffffffffffffffffffffff898a7a87b2e58ee62cbce82127fc110a1adf9ba17fd4
        sealed a17b9845d70d49c10e1a
        283 EdgeCasePoly1305 valid
        key 000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f
        nonce 000102030405060708090a0b0c0d0e0f10111213019836bb
        data ffffffff
        text 46e1c47ac0fd4564f8644238fdea86fcf5e77daad1941b4a23f35c5b43e1ef502ed554203c21345c59229130a2541fa431b1e6
        text 497971c037c2d77c92c5dca8b50b3b09a65907b31abc750781c0b48ef998e90298269e642fd941c5aff91730d3
        sealed ffffffffffffffffffffffffffffffff5b0d449575771b083a2a89b57b92b65afdffffffffffffffffffffffffffffff839d58
        sealed c840a0ef5e0bbc6af3f6086607fdffffffffffffffffffffffffffffff839d58c840a0ef5e0bbc6af3f6086607c25e9f8b643f
        sealed 78b07752a5cee50260df
        288 EdgeCasePoly1305 valid
        key 000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f
        nonce 000102030405060708090a0b0c0d0e0f10111213019836bb
        data ffffffff
        text 68e1c47ac0fd4564f8644238fdea86fc175f8489942fd588ed0439bd1c061b0a7503b2487adc75e8cffe1a1efde274951405a7
        text 1680d39122a04862b0939d5a7c
        sealed d1ffffffffffffffffffffffffffffffb9b5bdb630ccd5caf4ddec5324754200a6291997b902be4b692374d1a04994cea62919
        sealed 97b902be4b692374d1a04994ce5939be6b498f6f99f60a1d44d775830e
        293 EdgeCasePoly1305 valid
        key 000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f
        nonce 000102030405060708090a0b0c0d0e0f10111213019836bb
        data ffffffff
        text 46e1c47ac0fd4564f8644238fdea86fcb746ca829d38302f95d535ea593c87232cd554203c21345c59229130a2541fa4d5234f
        text 7183e0e0dc7dfbbebec7aa7115093b09a65907b31abc750781c0b48ef97c7baba0dc0f44c4666d0783fb61e973
        sealed ffffffffffffffffffffffffffffffff19acf3bd39db306d8c0ce004614fde29ffffffffffffffffffffffffffffffff670ff1
        sealed f0ba31cfb5b490a8dff47ebfa7ffffffffffffffffffffffffffffffff670ff1f0ba31cfb5b490a8dff47ebfa75264b2857666
        sealed 20af101ec123053e02fe
        298 EdgeCasePoly1305 valid
        key 000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f
        nonce 000102030405060708090a0b0c0d0e0f10111213019836bb
        data ffffffff
        text 50e1c47ac0fd4564f8644238fdea86fc5c3aa7080d28e6077d7409b699d7e209853687bf10d648223ed62db122adfecfe43092
        text e1ead9ace85160551f4cd2d026
        sealed e9fffffffffffffffffffffffffffffff2d09e37a9cbe64564addc58a1a4bb03561c2c60d3088381980b437e7f061e94561c2c
        sealed 60d3088381980b437e7f061e9493909cf19d78f96ed37b39eb99a7fa0d
        303 EdgeCasePoly1305 valid
        key 000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f
        nonce 000102030405060708090a0b0c0d0e0f10111213019836bb
        data ffffffff
        text 9034612ba071d2bc424d84cf237ba894ff817a46f44de742b96eae58232bcd428241e8a693702ca3066a157946f37413
        sealed 292a5aae9f73682745d63908216ed197516b437950aee700a0b77bb61b589448516b437950aee700a0b77bb61b589448bafa91
        sealed 827af78e023853ef42ab516182
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
