import Foundation

/// Where text goes: a descriptor, in large pieces, or memory.
package final class TextSink {
    private let descriptor: Int32?
    private var pending: [UInt8] = []
    /// `errno` of the first write that failed; what follows is dropped.
    private(set) var failure: Int32?

    /// - Parameter descriptor: nil keeps the text in memory.
    package init(descriptor: Int32?) {
        self.descriptor = descriptor
    }

    /// What was written and not yet sent.
    package var text: String { String(decoding: pending, as: UTF8.self) }

    var pendingCount: Int { pending.count }

    package var isClosedByReader: Bool { failure == EPIPE }

    package func write(_ text: String) {
        pending.append(contentsOf: text.utf8)
        if descriptor != nil, pending.count > 1 << 16 { flush() }
    }

    package func flush() {
        guard let descriptor else { return }
        var rest = pending[...]
        pending = []
        while !rest.isEmpty, failure == nil {
            let count = rest.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if count < 0, errno == EAGAIN {
                var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                poll(&request, 1, -1)
            } else if count == 0 || errno != EINTR {
                failure = errno
            }
        }
    }
}
