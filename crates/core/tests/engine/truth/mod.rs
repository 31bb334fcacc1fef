//! Retired, kept and contested records, on one machine and on several.

mod bad_input;
mod faulty;
mod histories;
mod links;
mod recency;
mod records;
mod review;
mod torn;
