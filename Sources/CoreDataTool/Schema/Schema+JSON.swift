import Foundation

extension Schema {
    /// What `schema --json` prints; the keys are documented in Documentation/Tool.md and do not change.
    var json: JSON {
        .object([
            ("file", .text(path)),
            ("source", .text(isStore ? "store" : "model")),
            ("versionIdentifiers", .texts(versionIdentifiers)),
            ("checksum", .text(checksum)),
            ("entities", .list(entities.map(\.json))),
        ])
    }
}

extension Schema.Entity {
    fileprivate var json: JSON {
        .object([
            ("name", .text(name)),
            ("parent", .text(orNull: parent)),
            ("className", .text(orNull: className)),
            ("isAbstract", .boolean(isAbstract)),
            ("number", .integer(orNull: number.map(Int64.init))),
            ("table", .text(orNull: table)),
            ("versionHash", .text(hash.base64EncodedString())),
            ("attributes", .list(attributes.map(\.json))),
            ("relationships", .list(relationships.map(\.json))),
            ("fetchedProperties", .texts(fetchedProperties)),
            ("uniquenessConstraints", .list(uniquenessConstraints.map(JSON.texts))),
            (
                "indexes",
                .list(indexes.map { .object([("name", .text($0.name)), ("elements", .texts($0.elements))]) })
            ),
        ])
    }
}

extension Schema.Attribute {
    fileprivate var json: JSON {
        .object([
            ("name", .text(name)),
            ("type", .text(type)),
            ("isOptional", .boolean(isOptional)),
            ("defaultValue", defaultValue.map { MetadataValue.json($0) } ?? .null),
            ("notes", .texts(notes)),
            ("column", .text(orNull: column)),
        ])
    }
}

extension Schema.Relationship {
    fileprivate var json: JSON {
        .object([
            ("name", .text(name)),
            ("destination", .text(destination)),
            ("isToMany", .boolean(isToMany)),
            ("isOrdered", .boolean(isOrdered)),
            ("isOptional", .boolean(isOptional)),
            ("minimum", .count(minimum)),
            ("maximum", .integer(orNull: maximum > 0 ? Int64(maximum) : nil)),
            ("inverse", .text(orNull: inverse)),
            ("deleteRule", .text(deleteRule)),
            ("isTransient", .boolean(isTransient)),
            ("table", .text(orNull: place?.table)),
            ("column", .text(orNull: column ?? place?.member ?? place?.owner)),
        ])
    }
}
