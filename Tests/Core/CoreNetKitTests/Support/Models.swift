import TestSupport

struct PhotoEntry: Codable, RawMappable, Equatable {
    typealias Raw = Json
    var id: String
    var ref: String
}

struct UserEntry: Codable, RawMappable, Equatable {
    typealias Raw = Json
    var name: String
    var age: Int
    var photos: [PhotoEntry]
}

struct User: DTOConvertible, Equatable {
    typealias DTO = UserEntry
    var name: String
    var age: Int
    var images: [String] = []

    static func from(dto: UserEntry) throws -> User {
        User(name: dto.name, age: dto.age, images: dto.photos.map(\.ref))
    }

    func toDTO() throws -> UserEntry {
        UserEntry(name: name, age: age, photos: images.map { PhotoEntry(id: $0, ref: $0) })
    }

    static let adaJson = #"{"name":"Ada","age":36,"photos":[{"id":"p1","ref":"a.png"}]}"#
    static let ada = User(name: "Ada", age: 36, images: ["a.png"])
}

struct PlainUser: Codable, Sendable, Equatable {
    var name: String
    var age: Int
}
