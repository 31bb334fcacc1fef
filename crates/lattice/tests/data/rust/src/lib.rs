mod disk;
pub mod money;

use crate::disk::{Disk, open as start};
use money::round;

/// Holds things.
#[derive(Debug)]
pub struct Cart {
    disk: Disk,
}

pub trait Sum {
    fn sum(&self) -> u32;
    fn twice(&self) -> u32 {
        self.sum() * 2
    }
}

impl Cart {
    pub fn new() -> Self {
        let disk = start("x");
        Cart { disk }
    }

    fn save(&self) {
        self.disk.write(round(1));
        helper::<u32>();
        std::mem::drop(1);
    }
}

impl Sum for Cart {
    fn sum(&self) -> u32 {
        assert_eq!(round(2), money::exact(2), "{}", self.twice());
        self.save();
        1
    }
}

fn helper<T>() -> Cart {
    Cart::new()
}

enum Mode {
    Read,
}

macro_rules! twice {
    ($e:expr) => { $e; $e };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_sums() {
        let cart: Cart = helper::<u8>();
        cart.save();
        let other = Disk::default();
        other.write(1);
        twice!(helper::<u8>());
    }
}
