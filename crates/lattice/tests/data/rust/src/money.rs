pub fn round(n: u32) -> u32 {
    super::money::exact(n)
}

pub(crate) fn exact(n: u32) -> u32 {
    n
}
