import Foundation

/// What a fetch request can return: managed objects, their ids, dictionaries or numbers.
///
/// A marker protocol, so that it conforms to itself and `NSFetchRequest<NSFetchRequestResult>` is as legal as with Apple's framework.
@_marker public protocol NSFetchRequestResult: AnyObject {}

extension NSDictionary: NSFetchRequestResult {}
extension NSNumber: NSFetchRequestResult {}
