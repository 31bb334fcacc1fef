//! Retired, kept and contested records, on one machine and on several.

mod bad_input;
mod faulty;
mod histories;
mod links;
mod offers;
mod recency;
mod records;
mod replaced;
mod requests;
mod review;
mod torn;
mod voice;
