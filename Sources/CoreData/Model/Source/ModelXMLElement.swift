import Foundation
import FoundationXML

/// An element of a model's XML.
final class ModelXMLElement {
    let name: String
    let attributes: [String: String]
    fileprivate(set) var children: [ModelXMLElement]

    init(name: String, attributes: [String: String], children: [ModelXMLElement] = []) {
        self.name = name
        self.attributes = attributes
        self.children = children
    }

    /// The children of one name, in order.
    func children(named name: String) -> [ModelXMLElement] {
        children.filter { $0.name == name }
    }

    /// An attribute's text.
    subscript(_ attribute: String) -> String? { attributes[attribute] }

    /// Whether an attribute says yes; one that is left out says no.
    func flag(_ attribute: String) -> Bool { attributes[attribute] == "YES" }

    /// A whole number; nil if the attribute is left out or no number.
    func integer(_ attribute: String) -> Int? { attributes[attribute].flatMap { Int($0) } }

    /// Parses XML.
    ///
    /// - Throws: NSCocoaErrorDomain 259 for text that is no XML, or beyond the bounds of ``ModelFileLimit``.
    static func parse(_ data: Data) throws(NSError) -> ModelXMLElement {
        guard data.count <= ModelFileLimit.bytes else {
            throw corruptModel(
                "The model has \(data.count) bytes, more than the \(ModelFileLimit.bytes) that are read.")
        }
        let parser = XMLParser(data: data)
        parser.shouldResolveExternalEntities = false
        let builder = TreeBuilder()
        parser.delegate = builder
        // The parser may go on after an error and call the result a success, so what was open at the end counts too.
        let isComplete = parser.parse() && builder.isClosed && builder.parseError == nil
        if let reason = builder.failure { throw corruptModel(reason) }
        guard isComplete, let root = builder.root else {
            let reason = (builder.parseError ?? parser.parserError)?.localizedDescription ?? "it is not well formed"
            throw corruptModel("The model is no XML: \(reason) (line \(parser.lineNumber)).")
        }
        return root
    }
}

private final class TreeBuilder: NSObject, XMLParserDelegate {
    var root: ModelXMLElement?
    var failure: String?
    var parseError: (any Error)?
    var isClosed: Bool { open.isEmpty }
    private var open: [ModelXMLElement] = []
    private var count = 0

    func parser(
        _ parser: XMLParser, didStartElement elementName: String, namespaceURI: String?, qualifiedName qName: String?,
        attributes attributeDict: [String: String]
    ) {
        count += 1
        guard count <= ModelFileLimit.objects, open.count < ModelFileLimit.depth else {
            failure = "The model's XML is beyond the bounds."
            parser.abortParsing()
            return
        }
        let element = ModelXMLElement(name: elementName, attributes: attributeDict)
        if let parent = open.last {
            parent.children.append(element)
        } else if root == nil {
            root = element
        }
        open.append(element)
    }

    func parser(
        _ parser: XMLParser, didEndElement elementName: String, namespaceURI: String?, qualifiedName qName: String?
    ) {
        _ = open.popLast()
    }

    func parser(_ parser: XMLParser, parseErrorOccurred parseError: any Error) {
        self.parseError = self.parseError ?? parseError
    }
}
