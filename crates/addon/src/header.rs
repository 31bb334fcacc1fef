//! The beginning of every table, by which the engine recognises an addon that it fits.

use crate::bytes::Slice;

/// The version of the tables. It changes whenever one of them does.
pub const ABI: u32 = 2;
/// The version of the package. Engine and addons are published together, and only those of one version fit each other.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The beginning of every table.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct Header {
    /// Always at this place, whatever follows.
    pub abi: u32,
    /// The version of the meaning of the bytes that cross the border, as the crate on top counts it.
    pub format: u32,
    /// The version of the package.
    pub version: Slice<'static>,
}

impl Header {
    /// Returns the header of this build.
    pub const fn new(format: u32) -> Self {
        Header {
            abi: ABI,
            format,
            version: Slice::of(VERSION.as_bytes()),
        }
    }

    /// Tells why the addon with this header does not fit, if it does not.
    pub(crate) fn refusal(self, format: u32) -> Option<String> {
        if self.abi != ABI {
            return Some(format!("its interface has version {}, not {ABI}", self.abi));
        }
        if self.version.text() != VERSION || self.format != format {
            let (found, has) = (self.version.text(), self.format);
            return Some(format!("it is of version {found} ({has}), not {VERSION} ({format})"));
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_addon_of_this_version_fits() {
        let own = Header::new(7);
        assert_eq!(own.refusal(7), None);
        let refused = |header: Header| header.refusal(7).unwrap_or_default();
        assert!(refused(Header { abi: ABI + 1, ..own }).contains("interface"));
        assert!(refused(Header { format: 8, ..own }).contains("(8), not"));
        let older = Slice::of(b"0.0.9");
        assert!(refused(Header { version: older, ..own }).contains("0.0.9"));
    }
}
