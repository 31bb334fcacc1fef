//! The score for two texts that no rule compares.

use super::*;

const RESTATED: &[(&str, &str)] = &[
    ("Our CDN is Fastly.", "CDN contract was moved to Bunny."),
    (
        "Emails are sent synchronously.",
        "Emails are sent from a background job.",
    ),
    (
        "Only Jana can publish to the app store.",
        "App store publishing is done by Kenji, Jana changed teams.",
    ),
    (
        "ESM output is the default of the build.",
        "The build is back to CommonJS output by default.",
    ),
];

#[test]
fn a_subject_that_is_stated_again_in_other_words_is_linked_and_not_retired() {
    let wrong: Vec<_> = RESTATED
        .iter()
        .map(|(older, newer)| (older, newer, evidence(older, newer)))
        .filter(|(_, _, found)| found.is_none_or(|found| found.retires || found.rule != Rule::Subject))
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn two_of_a_series_plans_additions_and_looks_back_are_not_linked() {
    let pairs = [
        (
            "E1021 of the pump means a bad seal",
            "E1022 of the pump means the seal is gone now",
        ),
        (
            "server 2 of the lab runs the pump",
            "server 3 of the lab no longer runs the pump",
        ),
        (
            "node B of the lab drives the pump",
            "node C of the lab drives the valve now",
        ),
        (
            "The lab pump is driven by Modbus",
            "The lab pump will be moved to OPC UA someday",
        ),
        (
            "The lab pump is driven by Modbus",
            "The lab pump is additionally moved to OPC UA",
        ),
        (
            "The lab pump is driven by Modbus",
            "In 2019 the lab pump was moved to OPC UA",
        ),
        (
            "The lab pump is driven by Modbus",
            "Should the lab pump be moved to OPC UA?",
        ),
        (
            "CI runs on Jenkins.",
            "CI moved from CircleCI back to Jenkins, the credits ran out.",
        ),
        (
            "The lab pump is driven by Modbus now",
            "We moved the lab pump to be driven by Modbus",
        ),
    ];
    let found: Vec<_> = pairs
        .iter()
        .filter_map(|(older, newer)| Some((older, newer, evidence(older, newer)?)))
        .collect();
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn words_that_many_records_have_in_common_tell_no_subject() {
    let (older, newer) = RESTATED[0];
    let (claims, statement) = (Claims::of(newer), Statement::of(newer));
    let among = |count: u32| {
        let mut lists = Vec::new();
        each_topic(&claims, |topic| lists.push((topic.word, topic.key, count)));
        let newer = Newer::new(&claims, &statement).among(Frequency::of(lists));
        newer.against(older).map(|found| found.rule)
    };
    assert_eq!(among(1), Some(Rule::Subject));
    assert_eq!(among(100), None);
    // So frequent that the index keeps no list.
    assert_eq!(among(0), None);
}
