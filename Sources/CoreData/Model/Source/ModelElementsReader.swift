import Foundation
import FoundationBackfill

/// Reads the file `elements` of Xcode 3: a keyed archive of the model editor's own objects, each with a table of settings.
///
/// The settings are those of the later XML under other names, so the archive is translated into that XML's elements and read
/// by ``ModelXMLReader``. What no file seen has (configurations, templates, fetched properties) is not understood: a template
/// is left out and the reason logged, anything else is an error.
struct ModelElementsReader {
    private let archive: KeyedArchive
    private var valuesLeft = ModelFileLimit.objects

    /// The elements of the XML that says the same.
    ///
    /// - Throws: NSCocoaErrorDomain 259 for a damaged archive, one beyond the bounds, or one with objects that are not
    ///   understood.
    static func element(from data: Data) throws(NSError) -> ModelXMLElement {
        var reader = ModelElementsReader(archive: try KeyedArchive(data))
        return try reader.readModel()
    }

    private init(archive: KeyedArchive) {
        self.archive = archive
    }

    private mutating func readModel() throws(NSError) -> ModelXMLElement {
        let root = try archive.object(at: archive.root)
        guard root.className == "XDPMModel",
            let package = try archive.objectIndex(root.fields["_xd_rootPackage"], classes: ["XDModelPackage"])
        else { throw corruptModel("The archive holds no model of Xcode 3.") }
        guard try archive.pairs(root.fields["_configurationsByName"])?.isEmpty ?? true else {
            throw corruptModel("The configurations of a model in the form of Xcode 3 are not understood.")
        }
        var attributes: [String: String] = [:]
        attributes["userDefinedModelVersionIdentifier"] = try text(root.fields["_modelVersionIdentifier"])
        var entities: [ModelXMLElement] = []
        for member in try namedMembers(of: package, bucket: "Classes") {
            guard let index = try archive.objectIndex(member.value, classes: ["XDPMEntity"]) else {
                throw corruptModel("The archive's list of entities is damaged.")
            }
            entities.append(try readEntity(at: index, name: member.key))
        }
        return ModelXMLElement(name: "model", attributes: attributes, children: entities)
    }

    private mutating func readEntity(at index: Int, name: String) throws(NSError) -> ModelXMLElement {
        let settings = try settings(of: index, stereotype: "XD_PStereotype")
        var attributes = ["name": name]
        attributes["representedClassName"] = try text(settings["XD_PSK_entityClassName"])
        attributes["isAbstract"] = try flag(settings["XD_PSK_isAbstract"])
        attributes["versionHashModifier"] = try text(settings["XD_PSK_versionHashModifier"])
        attributes["elementID"] = try text(settings["XD_PSK_elementID"])
        attributes["parentEntity"] = try parentName(of: index)
        for key in ["XDPMCompoundIndexes", "XDPMUniquenessConstraints"] where try !isEmpty(settings[key]) {
            throw corruptModel("\(key) of entity '\(name)', in the form of Xcode 3, are not understood.")
        }
        if try !isEmpty(settings["XD_PSK_fetchRequestsArray"]) {
            CoreDataLog.warning("the fetch request templates of entity '\(name)', in the form of Xcode 3, are left out")
        }
        var children: [ModelXMLElement] = []
        for member in try namedMembers(of: index, bucket: "OwnedAttributes") {
            let property = try archive.objectIndex(member.value, classes: ["XDPMAttribute", "XDPMRelationship"])
            guard let property else {
                throw corruptModel("The property '\(name).\(member.key)', in the form of Xcode 3, is not understood.")
            }
            children.append(try readProperty(at: property, name: member.key, entityName: name))
        }
        if let userInfo = try userInfo(settings["XD_PSK_userInfo"]) { children.append(userInfo) }
        return ModelXMLElement(name: "entity", attributes: attributes, children: children)
    }

    private mutating func readProperty(
        at index: Int, name: String, entityName: String
    ) throws(NSError) -> ModelXMLElement {
        let settings = try settings(of: index, stereotype: "XD_PPropStereotype")
        var attributes = ["name": name]
        attributes["optional"] = try flag(settings["XD_PPSK_isOptional"])
        attributes["transient"] = try flag(settings["XD_PPSK_isTransient"])
        attributes["versionHashModifier"] = try text(settings["XD_PPSK_versionHashModifier"])
        attributes["elementID"] = try text(settings["XD_PPSK_elementID"])
        let isAttribute = try archive.object(at: index).className == "XDPMAttribute"
        if isAttribute {
            // Relationships are marked too, which the model compiler passes over: they have indexes anyway.
            attributes["indexed"] = try flag(settings["XD_PPSK_isIndexed"])
            try readAttribute(at: index, path: "\(entityName).\(name)", into: &attributes)
        } else {
            try readRelationship(at: index, path: "\(entityName).\(name)", into: &attributes)
        }
        let userInfo = try userInfo(settings["XD_PPSK_userInfo"])
        return ModelXMLElement(
            name: isAttribute ? "attribute" : "relationship", attributes: attributes,
            children: userInfo.map { [$0] } ?? [])
    }

    private mutating func readAttribute(
        at index: Int, path: String, into attributes: inout [String: String]
    ) throws(NSError) {
        let settings = try settings(of: index, stereotype: "XD_PAtt_Stereotype")
        let number = try archive.integer(settings["XD_PAttK_attributeType"]) ?? 0
        guard let type = UInt(exactly: number).flatMap({ NSAttributeType(rawValue: $0) }) else {
            throw corruptModel("Attribute '\(path)' has the unknown type \(number).")
        }
        attributes["attributeType"] = type.modelEditorName
        attributes["allowsExternalBinaryDataStorage"] = try flag(settings["XD_PAttK_allowsExternalBinaryDataStorage"])
        attributes["defaultValueString"] = try text(settings["XD_PAttK_defaultValueAsString"])
        attributes["minValueString"] = try text(settings["XD_PAttK_minValueString"])
        attributes["maxValueString"] = try text(settings["XD_PAttK_maxValueString"])
        attributes["regularExpressionString"] = try text(settings["XD_PAttK_regularExpressionString"])
        attributes["valueTransformerName"] = try text(settings["XD_PAttK_valueTransformerName"])
    }

    private mutating func readRelationship(
        at index: Int, path: String, into attributes: inout [String: String]
    ) throws(NSError) {
        let settings = try settings(of: index, stereotype: "XD_PR_Stereotype")
        attributes["destinationEntity"] = try name(of: settings["XD_PRK_destination"], class: "XDPMEntity")
        attributes["inverseName"] = try name(of: settings["XD_PRK_inverseRelationship"], class: "XDPMRelationship")
        attributes["minCount"] = try archive.integer(settings["XD_PRK_minCount"]).map { "\($0)" }
        attributes["maxCount"] = try archive.integer(settings["XD_PRK_maxCount"]).map { "\($0)" }
        attributes["toMany"] = try flag(settings["XD_PRK_isToMany"])
        attributes["ordered"] = try flag(settings["XD_PRK_ordered"])
        let rule = try archive.integer(settings["XD_PRK_deleteRule"]) ?? 1
        switch UInt(exactly: rule).flatMap({ NSDeleteRule(rawValue: $0) }) {
        case .noActionDeleteRule: attributes["deletionRule"] = "No Action"
        case .nullifyDeleteRule: attributes["deletionRule"] = "Nullify"
        case .cascadeDeleteRule: attributes["deletionRule"] = "Cascade"
        case .denyDeleteRule: attributes["deletionRule"] = "Deny"
        case nil: throw corruptModel("Relationship '\(path)' has the unknown delete rule \(rule).")
        }
    }

    /// The entity that the one generalization of an entity leads to.
    private mutating func parentName(of index: Int) throws(NSError) -> String? {
        for member in try archive.list(archive.object(at: index).fields["XDBucketForGeneralizationsstorage"]) ?? [] {
            guard case .object(let number) = try archive.element(member) else { continue }
            return try name(of: archive.object(at: number).fields["_general"], class: "XDPMEntity")
        }
        return nil
    }

    // MARK: Values

    /// The settings of an object in one of its tables: for each key the number of its value.
    private mutating func settings(of index: Int, stereotype: String) throws(NSError) -> [String: Int] {
        for table in try namedMembers(of: index, bucket: "Stereotypes") where table.key == stereotype {
            guard let number = try archive.objectIndex(table.value, classes: ["XDUMLStereotypeImp"]) else { continue }
            var settings: [String: Int] = [:]
            for setting in try namedMembers(of: number, bucket: "OwnedAttributes") {
                if let property = try archive.objectIndex(setting.value, classes: ["XDUMLPropertyImp"]) {
                    settings[setting.key] = try archive.object(at: property).fields["_default"]
                }
            }
            return settings
        }
        return [:]
    }

    /// The members that an object keeps by name, in order of name.
    private mutating func namedMembers(
        of index: Int, bucket: String
    ) throws(NSError) -> [(key: String, value: Int)] {
        let members = try archive.namedValues(archive.object(at: index).fields["XDBucketFor\(bucket)storage"]) ?? []
        valuesLeft -= members.count + 1
        guard valuesLeft >= 0 else { throw corruptModel("The archive is beyond the bounds.") }
        return members.sorted { $0.key < $1.key }
    }

    private func name(of number: Int?, class className: String) throws(NSError) -> String? {
        guard let index = try archive.objectIndex(number, classes: [className]) else { return nil }
        return try archive.string(archive.object(at: index).fields["_name"])
    }

    private func flag(_ number: Int?) throws(NSError) -> String? {
        try archive.integer(number).map { $0 == 0 ? "NO" : "YES" }
    }

    private func text(_ number: Int?) throws(NSError) -> String? {
        try archive.string(number).flatMap { $0.isEmpty ? nil : $0 }
    }

    private func isEmpty(_ number: Int?) throws(NSError) -> Bool {
        try archive.list(number)?.isEmpty ?? true
    }

    /// The entries that are texts, without the settings of Sync Services, which the model compiler leaves out too.
    private func userInfo(_ number: Int?) throws(NSError) -> ModelXMLElement? {
        var entries: [ModelXMLElement] = []
        for pair in try archive.namedValues(number) ?? [] where !pair.key.hasPrefix("com.apple.syncservices.") {
            let value: String
            switch try archive.element(pair.value) {
            case .plain(.string(let text)): value = text
            case .object(let index) where try archive.object(at: index).className == "NSMutableString":
                value = try archive.string(pair.value) ?? ""
            default: continue
            }
            entries.append(ModelXMLElement(name: "entry", attributes: ["key": pair.key, "value": value]))
        }
        guard !entries.isEmpty else { return nil }
        return ModelXMLElement(name: "userInfo", attributes: [:], children: entries)
    }
}
