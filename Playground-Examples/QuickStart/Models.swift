import CoreNetKit

// What the server sends: entries, one for each JSON object.

enum Role: Int, Codable {
    case owner
    case member
}

struct PhotoEntry: Codable {
    let id: String
    let ref: String
}

extension PhotoEntry: RawMappable {
    typealias Raw = Json
}

struct UserEntry: Codable {
    let name: String
    let age: Int
    let type: Role
    let photos: [PhotoEntry]
}

extension UserEntry: RawMappable {
    typealias Raw = Json
}

// What the app works with.

struct Photo {
    let id: String
    let image: String
}

extension Photo: DTOConvertible {
    typealias DTO = PhotoEntry

    static func from(dto: PhotoEntry) throws -> Photo { .init(id: dto.id, image: dto.ref) }
    func toDTO() throws -> PhotoEntry { .init(id: id, ref: image) }
}

struct User {
    let name: String
    let age: Int
    let type: Role
    let photos: [Photo]
}

extension User: DTOConvertible {
    typealias DTO = UserEntry

    static func from(dto: UserEntry) throws -> User {
        try .init(name: dto.name, age: dto.age, type: dto.type, photos: .from(dto: dto.photos))
    }

    func toDTO() throws -> UserEntry {
        try .init(name: name, age: age, type: type, photos: photos.toDTO())
    }
}
