//! A small random generator (splitmix64), so that a seed reproduces a run on every machine.

pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Self {
        Dice(seed)
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Returns a number below `sides`, which is at least 1.
    pub fn roll(&mut self, sides: usize) -> usize {
        (self.next() % sides as u64) as usize
    }

    /// Returns true with a probability in percent.
    pub fn percent(&mut self, chance: usize) -> bool {
        self.roll(100) < chance
    }

    pub fn pick<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.roll(choices.len())]
    }

    /// Returns a number from 0 to 1.
    pub fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for at in (1..items.len()).rev() {
            items.swap(at, self.roll(at + 1));
        }
    }
}

/// Ranks with the probabilities of natural language: the n-th comes up in proportion to 1/n.
pub struct Zipf {
    sums: Vec<f64>,
}

impl Zipf {
    pub fn new(ranks: usize) -> Self {
        let mut sum = 0.0;
        let sums = (1..=ranks)
            .map(|rank| {
                sum += 1.0 / rank as f64;
                sum
            })
            .collect();
        Zipf { sums }
    }

    pub fn draw(&self, dice: &mut Dice) -> usize {
        let wanted = dice.unit() * self.sums[self.sums.len() - 1];
        self.sums.partition_point(|sum| *sum < wanted).min(self.sums.len() - 1)
    }
}

/// Returns the seed from the environment, or the one that every run has; prints it, so that a failure can be repeated.
pub fn seed(of: &str, usual: u64) -> u64 {
    let seed = std::env::var("FORGE_TEST_SEED")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(usual);
    println!("{of}: seed {seed} (FORGE_TEST_SEED={seed})");
    seed
}
