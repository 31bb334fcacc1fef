//! The roles of words in a statement. docs/duplicates.md explains the classes; the lists are here.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

/// The role of a word in a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// A function word without meaning of its own. It may be added or removed.
    Filler,
    /// Reverses a statement.
    Negation,
    /// Restricts a statement. It may neither be added nor removed.
    Limit,
    /// A member of a family of words that exclude each other. It may be added or removed, but not replaced by another
    /// member.
    Member { family: u8, group: u8 },
    /// Content that may neither be added nor removed alone: a state, a day, a number.
    Telling,
    /// An inflected form of this word.
    FormOf(&'static str),
    /// A number as a word.
    Number(&'static str),
}

/// Function words, and words that comment on a statement.
const FILLERS: &str = "a about actually ah alright also although am an any anyway apparently are aren as at b/c basically be \
    because been being besides both btw but clearly currently definitely did do does doing e.g either else \
    especially essentially etc even ever evidently exactly eventually fairly finally for fortunately frankly furthermore fyi \
    generally had has have having he hello hence her here hers herself hey hi him himself his honestly hopefully how however \
    i i.e ie eg if important importantly indeed interestingly into is it its itself just kinda kindly let's like literally \
    maybe me meanwhile mere merely mine moreover my myself namely naturally nb nevertheless note notably notice now \
    obviously of oh ok okay our ours ourselves own particularly per perhaps personally please pls plus practically precisely \
    presumably pretty probably quite really regarding remember reminder respectively sadly seemingly she simply \
    so somehow somewhat specifically still strictly such surely surprisingly thankfully that the their theirs them \
    themselves there therefore these they thing things this those though thus tho tip tldr together too \
    truly ultimately unfortunately upon us very via was we well were what whatever when whenever where whereas \
    wherever whether which whichever who whoever whom whose why will with would wow yeah yep yes yet you your yours \
    yourself hint psa attention beware caution careful mind warning already again nowadays today's ourselves \
    absolutely certainly totally completely entirely fully correctly properly accordingly overall altogether \
    anyways basically effectively roughly mostly largely mainly primarily";

/// Words that reverse a statement, interchangeable with each other. Words that end in "n't" are negations as well.
const NEGATIONS: &str = "aint avoid cannot cant couldnt didnt doesnt dont hasnt havent isnt mustnt neither never no non none \
    nor not nothing nowhere shouldnt wasnt werent without wont wouldnt arent";

/// Words that restrict or date a statement.
const LIMITS: &str = "anymore except formerly only previously unless";

/// Families of words that exclude each other. Within a family, the words of one group are synonyms.
const FAMILIES: &[&[&str]] = &[
    &["must shall", "should ought", "can could may might"],
    &[
        "all every each everything everyone everybody always",
        "some sometimes occasionally",
        "few several",
        "many much often usually typically normally",
        "rarely seldom hardly",
        "one",
        "one",
    ],
    &[
        "before",
        "after",
        "until till",
        "while during",
        "within",
        "then",
        "since",
    ],
    &["over above", "under below beneath"],
    &["up", "down"],
    &["inside in", "outside out"],
    &["on", "off"],
    &["and &", "or"],
    &["from", "to into onto toward towards"],
    &["rather"],
    &["by"],
    &["than"],
    &[
        "against",
        "behind",
        "between among",
        "through",
        "across",
        "near",
        "beyond",
    ],
];

/// Words whose two sides must not be exchanged: "A before B" is not "B before A".
pub(super) const TURNS: [&[u8]; 10] = [
    b"after", b"before", b"from", b"into", b"over", b"rather", b"than", b"then", b"to", b"until",
];

/// Words that, like restrictions, may neither be added nor removed.
pub(super) const BINDING: [&[u8]; 4] = [b"after", b"before", b"till", b"until"];

/// The family of quantities, which a content word may replace.
pub(super) const QUANTITIES: u8 = 1;

/// The family of the preposition that names the agent.
pub(super) const AGENT: u8 = 10;

/// States of a thing, which are new information even when nothing else has changed.
const TELLING: &str = "abandoned abolished archived banned blocked broken cancelled canceled closed completed decommissioned \
    deleted denied deprecated disabled disallow disallowed discontinued draft dropped enabled ended experimental expired failing \
    failed fixed forbid forbidden forbids frozen gone illegal impossible invalid least less mandatory merged migrated missing \
    most more obsolete open optional outdated paused pending postponed prevent prevents prohibited reopened released removed \
    replaced required resolved retired reverted revoked shipped stop stops stopped suspended temporarily temporary \
    unable unsafe unsupported unstable unused wrong false true refuse refuses instead \
    half double twice triple dozen monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays \
    thursdays fridays saturdays sundays weekday weekdays weekend weekends tomorrow yesterday tonight daily weekly monthly \
    nightly hourly yearly quarterly annually january february april june july august september october november \
    december \
    не нет без никогда нельзя nicht kein keine nie niemals ohne pas jamais sans nunca jamás sin não nunca sem mai senza \
    不 没 沒 未 别 別 勿 无 無 非 否 안 않 못";

const NUMBERS: &[(&str, &str)] = &[
    ("zero", "0"),
    ("two", "2"),
    ("three", "3"),
    ("four", "4"),
    ("five", "5"),
    ("six", "6"),
    ("seven", "7"),
    ("eight", "8"),
    ("nine", "9"),
    ("ten", "10"),
    ("eleven", "11"),
    ("twelve", "12"),
    ("fifteen", "15"),
    ("sixteen", "16"),
    ("twenty", "20"),
    ("thirty", "30"),
    ("forty", "40"),
    ("fifty", "50"),
    ("sixty", "60"),
    ("ninety", "90"),
    ("hundred", "100"),
    ("thousand", "1000"),
    ("million", "1000000"),
];

/// Irregular forms of words, and units in their usual abbreviations.
const FORMS: &[(&str, &str)] = &[
    ("add", "added adds adding"),
    ("agree", "agreed"),
    ("become", "became"),
    ("begin", "began begun"),
    ("break", "broke breaks breaking"),
    ("bring", "brought"),
    ("build", "built"),
    ("buy", "bought"),
    ("catch", "caught"),
    ("child", "children"),
    ("choose", "chose chosen"),
    ("come", "came"),
    ("criterion", "criteria"),
    ("die", "dying"),
    ("draw", "drew drawn"),
    ("drive", "drove driven"),
    ("fall", "fell fallen"),
    ("feel", "felt"),
    ("fail", "fails"),
    ("find", "found"),
    ("forget", "forgot forgotten"),
    ("free", "freed frees freeing"),
    ("freeze", "froze"),
    ("get", "got gotten"),
    ("give", "gave given"),
    ("go", "goes went going"),
    ("grow", "grew grown"),
    ("hang", "hung"),
    ("hide", "hid hidden"),
    ("hold", "held"),
    ("index", "indices"),
    ("keep", "kept"),
    ("know", "knew known"),
    ("lead", "led"),
    ("leave", "left"),
    ("lie", "lying"),
    ("lose", "lost"),
    ("make", "made"),
    ("matrix", "matrices"),
    ("mean", "meant"),
    ("meet", "met"),
    ("override", "overrode overridden"),
    ("pay", "paid"),
    ("person", "people"),
    ("prove", "proven"),
    ("rebuild", "rebuilt"),
    ("rerun", "reran"),
    ("rewrite", "rewrote rewritten"),
    ("run", "ran"),
    ("say", "said"),
    ("see", "saw seen"),
    ("sell", "sold"),
    ("send", "sent"),
    ("show", "shown"),
    ("shrink", "shrank shrunk"),
    ("speak", "spoke spoken"),
    ("spend", "spent"),
    ("spin", "spun"),
    ("steal", "stole stolen"),
    ("stick", "stuck"),
    ("take", "took taken"),
    ("tell", "told"),
    ("think", "thought"),
    ("throw", "threw thrown"),
    ("tie", "tied tying"),
    ("understand", "understood"),
    ("use", "used uses using"),
    ("vertex", "vertices"),
    ("wake", "woke woken"),
    ("write", "wrote written"),
    ("second", "sec secs seconds"),
    ("millisecond", "ms milliseconds"),
    ("minute", "mins minutes"),
    ("hour", "hr hrs hours"),
    ("kilobyte", "kb kilobytes"),
    ("megabyte", "mb megabytes"),
    ("gigabyte", "gb gigabytes"),
    ("terabyte", "tb terabytes"),
    ("percent", "%"),
];

/// Units that follow a number without a space, and the words for them.
const SUFFIXES: &[(&str, &str)] = &[
    ("s", "second"),
    ("sec", "second"),
    ("ms", "millisecond"),
    ("us", "microsecond"),
    ("ns", "nanosecond"),
    ("m", "m"),
    ("min", "minute"),
    ("mins", "minute"),
    ("h", "hour"),
    ("hr", "hour"),
    ("hrs", "hour"),
    ("d", "day"),
    ("w", "week"),
    ("kb", "kilobyte"),
    ("kib", "kib"),
    ("mb", "megabyte"),
    ("mib", "mib"),
    ("gb", "gigabyte"),
    ("gib", "gib"),
    ("tb", "terabyte"),
    ("k", "k"),
    ("x", "x"),
    ("px", "px"),
    ("rps", "rps"),
    ("qps", "qps"),
    ("am", "am"),
    ("pm", "pm"),
    ("hz", "hz"),
    ("st", ""),
    ("nd", ""),
    ("rd", ""),
    ("th", ""),
];

/// Participles that do not end in "ed".
const PARTICIPLES: [&str; 22] = [
    "bound", "built", "cut", "drawn", "driven", "found", "given", "hidden", "hit", "kept", "kicked", "lost", "made",
    "put", "read", "reset", "run", "sent", "set", "shut", "taken", "written",
];

/// Tells whether a word only forms a passive with the next one: "gets deleted" is "is deleted".
pub(super) fn is_auxiliary(word: &[u8], next: Option<&[u8]>) -> bool {
    matches!(word, b"get" | b"gets" | b"got" | b"getting")
        && next.is_some_and(|next| {
            (next.len() > 4 && next.ends_with(b"ed")) || PARTICIPLES.iter().any(|known| known.as_bytes() == next)
        })
}

static ROLES: LazyLock<FxHashMap<&'static [u8], Role>> = LazyLock::new(|| {
    let mut roles = FxHashMap::default();
    let mut put = |words: &'static str, role: Role| {
        for word in words.split_ascii_whitespace() {
            roles.insert(word.as_bytes(), role);
        }
    };
    put(FILLERS, Role::Filler);
    for (base, forms) in FORMS {
        put(forms, Role::FormOf(base));
    }
    for (word, number) in NUMBERS {
        put(word, Role::Number(number));
    }
    put(TELLING, Role::Telling);
    put(LIMITS, Role::Limit);
    put(NEGATIONS, Role::Negation);
    for (family, groups) in (0_u8..).zip(FAMILIES) {
        for (group, words) in (0_u8..).zip(groups.iter()) {
            put(words, Role::Member { family, group });
        }
    }
    roles
});

/// Returns the role of a folded word, unless it is an ordinary content word.
pub(crate) fn role_of(word: &[u8]) -> Option<Role> {
    if let Some(role) = ROLES.get(word) {
        return Some(*role);
    }
    let at = word.iter().position(|byte| *byte == b'\'')?;
    if word.ends_with(b"n't") {
        return Some(Role::Negation);
    }
    // it's, they're, we'll
    ROLES.get(word.get(..at)?).copied()
}

/// Returns the word for a unit after a number; `None` for endings as in "3rd".
pub(super) fn suffix_word(suffix: &[u8]) -> Option<&'static str> {
    let found = SUFFIXES.iter().find(|(short, _)| short.as_bytes() == suffix)?;
    Some(found.1)
}
