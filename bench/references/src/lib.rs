//! What the reference programs share: reading the generated data, arguments, and time statistics as JSON.

pub mod bag;
pub mod pairs;

use std::error::Error;
use std::fs;
use std::time::Instant;

use cpu_time::ThreadTime;
use serde::{Deserialize, Serialize};

/// Whatever goes wrong ends the program with a message: a reference that limps is worse than none.
pub type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

/// One generated lesson; its labels are not read.
#[derive(Deserialize)]
pub struct Lesson {
    /// `lesson`, `gotcha`, ...
    #[serde(rename = "type")]
    pub kind: String,
    /// The text.
    pub content: String,
}

/// One generated query.
#[derive(Deserialize)]
pub struct Query {
    /// `rare` or `mixed`.
    pub kind: String,
    /// Three words.
    pub text: String,
}

/// Reads a file with one lesson a line.
///
/// # Errors
/// The file cannot be read, or a line is not a lesson.
pub fn read_lessons(path: &str) -> Outcome<Vec<Lesson>> {
    let text = fs::read_to_string(path).map_err(|cause| format!("cannot read {path}: {cause}"))?;
    Ok(text.lines().map(serde_json::from_str).collect::<Result<_, _>>()?)
}

/// Reads the file of queries.
///
/// # Errors
/// The file cannot be read, or is not a list of queries.
pub fn read_queries(path: &str) -> Outcome<Vec<Query>> {
    let text = fs::read_to_string(path).map_err(|cause| format!("cannot read {path}: {cause}"))?;
    Ok(serde_json::from_str(&text)?)
}

/// Returns the value after `--name`, when it is given.
#[must_use]
pub fn option(name: &str) -> Option<String> {
    let flag = format!("--{name}");
    std::env::args().skip_while(|argument| *argument != flag).nth(1)
}

/// Returns the value after `--name`.
///
/// # Errors
/// The option is missing.
pub fn required(name: &str) -> Outcome<String> {
    option(name).ok_or_else(|| format!("--{name} is missing").into())
}

/// The times of many calls of one operation, in microseconds: on the clock, and of the thread on a processor.
#[derive(Default)]
pub struct Times {
    wall: Vec<f64>,
    cpu: Vec<f64>,
}

/// What is printed of [`Times`]; names and meaning are those of `harness/statistics.mjs`.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Summary {
    calls: usize,
    typical_us: f64,
    mean_us: f64,
    p99_us: f64,
    wall_p50_us: f64,
    wall_p99_us: f64,
}

impl Times {
    /// Runs the operation and keeps how long it took.
    pub fn measure<T>(&mut self, operation: impl FnOnce() -> T) -> T {
        let (cpu, wall) = (ThreadTime::now(), Instant::now());
        let answer = operation();
        self.wall.push(wall.elapsed().as_nanos() as f64 / 1e3);
        self.cpu.push(cpu.elapsed().as_nanos() as f64 / 1e3);
        answer
    }

    /// Boils the times down.
    #[must_use]
    pub fn summary(mut self) -> Summary {
        self.wall.sort_by(f64::total_cmp);
        self.cpu.sort_by(f64::total_cmp);
        let quarter = self.cpu.len() / 4;
        Summary {
            calls: self.cpu.len(),
            typical_us: mean(&self.cpu[quarter..self.cpu.len() - quarter]),
            mean_us: mean(&self.cpu),
            p99_us: percentile(&self.cpu, 0.99),
            wall_p50_us: percentile(&self.wall, 0.5),
            wall_p99_us: percentile(&self.wall, 0.99),
        }
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn percentile(sorted: &[f64], share: f64) -> f64 {
    let place = (sorted.len() as f64 * share) as usize;
    let place = place.min(sorted.len().saturating_sub(1));
    sorted.get(place).copied().unwrap_or(f64::NAN)
}
