import CoreNetKitEssentials
import CoreNetKitHTTP
import CoreNetKitSharedStore

extension SharedStoreConformance {
    static let valueRules = [
        Rule("value.none", "A key that was never written has no value.") {
            try $0.expect(try await $0.text(), is: nil, "what is read")
            try $0.expect(try await $0.store.remove($0.key, ifVersion: nil), is: false, "whether it was removed")
        },
        Rule("value.whole", "A value is read unchanged, whatever its bytes are.") {
            for bytes in [Data(), Data(0...255), Data("\r\n$-1\r\n\r\n".utf8), Data(repeating: 7, count: 200_000)] {
                let version = try await $0.store.write($0.key, bytes, ifVersion: nil, for: .seconds(60))
                let found = try await $0.store.read($0.key)
                try $0.expect(found?.bytes == bytes, "\(bytes.count) bytes were changed")
                try $0.expect(found?.version, is: version, "the version that is read")
            }
        },
        Rule("value.keys", "Values with other names or of other kinds are independent.") {
            try await $0.put("one")
            try $0.expect(try await $0.store.read($0.key("two")) == nil, "another name has it")
            try $0.expect(try await $0.store.read($0.key("one", kind: "other")) == nil, "another kind has it")
        },
        Rule("value.versions", "Versions are above 0 and increase with each write.") {
            var last: UInt64 = 0
            for text in ["one", "two", "two", "three"] {
                let version = try await $0.put(text)
                try $0.expect(version > last, "the version \(version) came after \(last)")
                last = version
            }
        },
        Rule("value.create", "A write with `ifVersion: 0` succeeds only if there is no value.") {
            try await $0.put("one", ifVersion: 0)
            let second = try await $0.store.write($0.key, Data("two".utf8), ifVersion: 0, for: .seconds(60))
            try $0.expect(second, is: nil, "the second version")
            try $0.expect(try await $0.text(), is: "one", "what is read")
        },
        Rule("value.exchange", "A write over a version succeeds only if that is the current one.") {
            let first = try await $0.put("one")
            let second = try await $0.put("two", ifVersion: first)
            let late = try await $0.store.write($0.key, Data("three".utf8), ifVersion: first, for: .seconds(60))
            try $0.expect(late, is: nil, "the version of a late write")
            let found = try await $0.store.read($0.key)
            try $0.expect(found?.version, is: second, "the version that is read")
            try $0.expect(try await $0.text(), is: "two", "what is read")
        },
        Rule("value.missing", "A write over a version fails if there is no value.") {
            let version = try await $0.store.write($0.key, Data("one".utf8), ifVersion: 7, for: .seconds(60))
            try $0.expect(version, is: nil, "the version")
            try $0.expect(try await $0.text(), is: nil, "what is read")
        },
        Rule("value.race", "Of many concurrent writes over one version, exactly one succeeds.") { trial in
            let first = try await trial.put("one")
            let versions = try await trial.concurrently(16) { index in
                try await trial.store.write(trial.key, Data("\(index)".utf8), ifVersion: first, for: .seconds(60))
            }
            try trial.expect(versions.count { $0 != nil }, is: 1, "the number of successful writes")
            let found = try await trial.store.read(trial.key)?.version
            try trial.expect(versions.contains(found), "the value read was written by no writer")
        },
        Rule("value.life", "A value is gone after its lifetime.") {
            try await $0.put("one", for: .milliseconds(30))
            try await $0.wait(.milliseconds(60))
            try $0.expect(try await $0.text(), is: nil, "what is read at the end")
            try await $0.put("two", ifVersion: 0)
        },
        Rule("value.longer", "A write starts a new lifetime.") {
            try await $0.put("one", for: .milliseconds(30))
            try await $0.put("two")
            try await $0.wait(.milliseconds(60))
            try $0.expect(try await $0.text(), is: "two", "what is read")
        },
        Rule("value.remove", "A removed value is gone; a removal over another version has no effect.") {
            let first = try await $0.put("one")
            let second = try await $0.put("two")
            let isRemoved = try await $0.store.remove($0.key, ifVersion: first)
            try $0.expect(isRemoved, is: false, "whether an old version was removed")
            try $0.expect(try await $0.text(), is: "two", "what is read")
            try $0.expect(try await $0.store.remove($0.key, ifVersion: second), is: true, "whether it was removed")
            try $0.expect(try await $0.text(), is: nil, "what is read after it")
        },
        Rule("value.again", "A version is not reused after the value was removed or has expired.") {
            var versions: [UInt64] = []
            for _ in 0..<3 {
                versions.append(try await $0.put("one", ifVersion: 0))
                _ = try await $0.store.remove($0.key, ifVersion: nil)
            }
            versions.append(try await $0.put("one", for: .milliseconds(20)))
            try await $0.wait(.milliseconds(50))
            versions.append(try await $0.put("one", ifVersion: 0))
            try $0.expect(Set(versions).count, is: versions.count, "the number of different versions")
            try $0.expect(versions, is: versions.sorted(), "their order")
        },
    ]
}
