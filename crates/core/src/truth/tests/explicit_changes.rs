//! Texts that say themselves what they replace.

use super::*;

#[test]
fn an_explicit_change_retires_the_previous_statement() {
    let pairs = [
        ("We use yarn for installs", "Switched from yarn to pnpm"),
        ("Use yarn for installs", "Use pnpm instead of yarn for installs"),
        ("We use moment for dates", "moment was replaced by dayjs"),
        ("We use moment for dates", "Replaced moment with dayjs for dates"),
        ("We use Jenkins for CI", "We no longer use Jenkins"),
        ("We deploy on Tuesday", "Deploys moved from Tuesday to Thursday"),
        ("The API listens on port 8080", "The API port changed from 8080 to 9090"),
        ("Tests run with jest", "Dropped jest in favor of vitest"),
        ("The API rate limit is 100", "API rate limit: 100 -> 250"),
        ("Ann owns billing", "Ownership of billing moved from Ann to Bob"),
        ("Use yarn for installs", "Use pnpm for installs, not yarn"),
        (
            "We deploy on Fridays",
            "We deploy on Mondays from now on, not on Fridays",
        ),
        ("Tests run with Jest", "Tests run with Vitest as of v3, not with Jest"),
        (
            "Reviews are on Mondays",
            "Reviews are on Tuesdays this year, not on Mondays",
        ),
        ("We deploy on Fridays", "Moving forward, we deploy on Mondays"),
        ("We deploy on Fridays", "Henceforth deploys are on Mondays"),
        ("We deploy on Fridays", "Effective immediately, we deploy on Mondays"),
        ("We use redux for state", "We don't use redux anymore"),
    ];
    check(&pairs, true);
}
