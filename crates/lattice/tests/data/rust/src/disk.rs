#[derive(Default)]
pub struct Disk;

impl Disk {
    pub fn write(&self, n: u32) {}
}

pub fn open(name: &str) -> Disk {
    Disk
}
