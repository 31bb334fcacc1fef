//! What single words say about a statement. Few words and no phrases: a sentence that they do not describe is compared with nothing.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

/// What is known of a word.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Known {
    pub traits: u32,
    /// The family of a unit, and how many of the smallest one it is.
    pub unit: Option<(u8, f64)>,
    /// The family of two states that exclude each other, and whether it is the negative one.
    pub state: Option<(u8, bool)>,
}

impl Known {
    pub fn has(self, traits: u32) -> bool {
        self.traits & traits != 0
    }
}

/// It gives a reason: what follows is not part of the statement.
pub(super) const REASON: u32 = 1;
/// It is uncertain, planned, or only true under a condition.
pub(super) const TENTATIVE: u32 = 1 << 1;
/// It says something in addition.
pub(super) const ADDITION: u32 = 1 << 2;
/// It tells of the past.
pub(super) const PAST: u32 = 1 << 3;
/// It is about somebody, not about the project.
pub(super) const PERSONAL: u32 = 1 << 4;
/// At the beginning of a sentence it tells what somebody did, or is code.
pub(super) const EPISODE: u32 = 1 << 5;
/// A verb that says no more than "is".
pub(super) const GENERIC: u32 = 1 << 6;
/// A noun that a number measures: "port 8080".
pub(super) const MEASURED: u32 = 1 << 7;
/// A name that a version follows: "Node 20".
pub(super) const VERSIONED: u32 = 1 << 8;
/// A word that a value follows.
pub(super) const RELATION: u32 = 1 << 9;
/// A form of "be".
pub(super) const BE: u32 = 1 << 10;
/// A verb of "from Y to X".
pub(super) const MOVE: u32 = 1 << 11;
/// A verb of "replaced Y with X".
pub(super) const REPLACE: u32 = 1 << 12;
/// Says since when; left out.
pub(super) const SINCE: u32 = 1 << 13;
/// A word that introduces a statement with a colon and says nothing about it: "Decision: ...".
pub(super) const HEADING: u32 = 1 << 14;
/// Refers to what was said before.
pub(super) const REFERS: u32 = 1 << 15;
/// A preposition that may qualify what is said: "in production".
pub(super) const QUALIFIES: u32 = 1 << 16;
/// Says that something older is superseded.
pub(super) const AMENDS: u32 = 1 << 17;
/// A noun that a number before it counts: "3 retries".
pub(super) const COUNTED: u32 = 1 << 19;
/// It is about something that goes wrong, which may do so in several places.
pub(super) const PROBLEM: u32 = 1 << 20;
/// Joins the parts of an explicit change; with [`MOVE`], [`REPLACE`] and [`AMENDS`], the only words by which one is recognised.
pub(super) const CHANGE: u32 = 1 << 18;

const TRAITS: &[(u32, &str)] = &[
    (REASON, "because since so due thanks otherwise"),
    (
        TENTATIVE,
        "maybe perhaps probably possibly might could may would wonder suspect suspected guess assume seems seem apparently \
         plan plans planned planning propose proposes proposed proposal consider considered considering want wants wanted \
         hope hopes hoped if whether unless todo tbd rumour rumor unsure unclear someday soon eventually later try trying \
         think thinks believe believes reportedly supposedly example examples e.g hypothetically let's",
    ),
    (
        ADDITION,
        "also too additionally another additional plus besides moreover further furthermore either",
    ),
    (
        PAST,
        "was were had did been yesterday ago previously formerly once originally initially historically earlier last",
    ),
    (
        PERSONAL,
        "i i'm i've i'd i'll im ive me my mine myself he he's she she's him her his hers you you're your yours u",
    ),
    (
        EPISODE,
        "bump bumps bumped update updates updated upgrade upgraded release releases released merge merges merged revert \
         reverts reverted fix fixes fixed add adds added remove removes removed rename renames renamed deploy deployed \
         implement implements implemented introduce introduces introduced improve improves improved refactor refactors \
         refactored clean cleanup drop drops dropped made bring \
         ship shipped met saw found tried ran spent took closes closed opened reported investigated debugged changed \
         increase increased decrease decreased raise raised lower lowered correct corrected applied imported \
         convert converted ported switch move moves replace replaces prepare prepared const let var def fn func return \
         class public private static import",
    ),
    (
        GENERIC,
        "run runs running listen listens listening live lives sit sits stay stays use uses used using set sets default \
         defaults go goes need needs take takes bind binds bound serve serves served come comes expect expects require \
         requires required target targets pinned pin pins stored store stores keep keeps kept located configured \
         works work start starts remain remains equals equal hosted prefer prefers got get gets has have means mean",
    ),
    (
        MEASURED,
        "port ports limit limits timeout timeouts ttl size max maximum min minimum threshold rate interval delay backoff \
         budget quota capacity depth width height length concurrency parallelism coverage weight factor ratio retention \
         lifetime latency version",
    ),
    (
        COUNTED,
        "retries attempts connections workers threads replicas requests jobs instances nodes cores shards partitions cpus \
         buckets pages lines columns rows items entries characters chars tries",
    ),
    (
        PROBLEM,
        "bug bugs leak leaks error errors fail fails failed failure failing crash crashes typo race flaky broken breaks issue \
         issues problem problems exception panic panics hang hangs slow missing wrong",
    ),
    (
        VERSIONED,
        "node nodejs python java jdk postgres postgresql mysql mariadb sqlite redis go golang rust ruby php ubuntu debian \
         alpine fedora django rails react vue angular next nextjs nuxt typescript kubernetes k8s terraform gradle maven npm \
         pnpm yarn bun deno docker android ios xcode swift kotlin scala spring laravel flask fastapi express electron \
         webpack vite eslint prettier elasticsearch mongodb mongo kafka nginx llvm gcc clang cmake openssl sdk api v \
         version tailwind svelte cuda dotnet .net c# c++ protobuf grpc helm ansible vitest jest",
    ),
    (
        RELATION,
        "is are on in at to with via by under from through using use uses equals = needs requires be as into",
    ),
    (BE, "is are be was were been got get gets"),
    (
        MOVE,
        "switched switch switches moved move moves migrated migrate migrates changed change changes upgraded upgrade went \
         raised raise lowered lower increased increase decreased reduced downgraded swapped converted ported shifted",
    ),
    (
        REPLACE,
        "replaced replace replaces replacing swapped superseded supersedes supersede superseding",
    ),
    (
        SINCE,
        "now today currently nowadays immediately henceforth forward anymore effective starting onwards onward",
    ),
    (
        HEADING,
        "decision decided note notes update updated rule convention lesson gotcha reminder important warning tip policy \
         agreed settled amended amendment correction fyi remember learned learnt fact attention nb",
    ),
    (
        REFERS,
        "it it's its this that they they're these those there here same which what",
    ),
    (
        QUALIFIES,
        "on in for at when with without under during only except if after before unless while inside outside",
    ),
    (AMENDS, "supersedes supersede superseding amended amends amending"),
    (CHANGE, "instead rather place"),
];

/// The families of units of numbers. The first unit of a family is its smallest.
const UNITS: &[(u8, &[(&str, f64)])] = &[
    (
        1,
        &[
            ("microsecond", 1e-3),
            ("us", 1e-3),
            ("millisecond", 1.0),
            ("milliseconds", 1.0),
            ("ms", 1.0),
            ("second", 1e3),
            ("seconds", 1e3),
            ("sec", 1e3),
            ("secs", 1e3),
            ("s", 1e3),
            ("minute", 6e4),
            ("minutes", 6e4),
            ("min", 6e4),
            ("mins", 6e4),
            ("m", 6e4),
            ("hour", 3.6e6),
            ("hours", 3.6e6),
            ("h", 3.6e6),
            ("hr", 3.6e6),
            ("hrs", 3.6e6),
            ("day", 8.64e7),
            ("days", 8.64e7),
            ("d", 8.64e7),
            ("week", 6.048e8),
            ("weeks", 6.048e8),
            ("month", 2.592e9),
            ("months", 2.592e9),
            ("year", 3.1536e10),
            ("years", 3.1536e10),
        ],
    ),
    (
        2,
        &[
            ("byte", 1.0),
            ("bytes", 1.0),
            ("kb", 1e3),
            ("kilobyte", 1e3),
            ("kib", 1024.0),
            ("mb", 1e6),
            ("megabyte", 1e6),
            ("mib", 1_048_576.0),
            ("gb", 1e9),
            ("gigabyte", 1e9),
            ("gib", 1_073_741_824.0),
            ("tb", 1e12),
            ("terabyte", 1e12),
            ("tib", 1_099_511_627_776.0),
        ],
    ),
    (3, &[("%", 1.0), ("percent", 1.0)]),
    (4, &[("px", 1.0)]),
    (5, &[("rps", 1.0), ("qps", 1.0)]),
    (6, &[("k", 1e3)]),
    (7, &[("x", 1.0)]),
];

/// Pairs of states that exclude each other: of each, the words for the first and for the second.
const STATES: &[(&str, &str)] = &[
    ("enabled enable enables", "disabled disable disables"),
    (
        "allowed allow allows permitted",
        "forbidden disallowed prohibited banned forbids",
    ),
    ("on", "off"),
    ("supported", "unsupported"),
    ("mandatory", "optional"),
];

/// The family of "on" and "off", which are prepositions as well.
pub(super) const SWITCH: u8 = 2;

static WORDS: LazyLock<FxHashMap<&'static [u8], Known>> = LazyLock::new(|| {
    let mut words: FxHashMap<&'static [u8], Known> = FxHashMap::default();
    for (traits, list) in TRAITS {
        for word in list.split_ascii_whitespace() {
            words.entry(word.as_bytes()).or_default().traits |= traits;
        }
    }
    for (family, units) in UNITS {
        for (unit, size) in *units {
            words.entry(unit.as_bytes()).or_default().unit = Some((*family, *size));
        }
    }
    for (family, (positive, negative)) in (0_u8..).zip(STATES) {
        for (list, is_negative) in [(positive, false), (negative, true)] {
            for word in list.split_ascii_whitespace() {
                words.entry(word.as_bytes()).or_default().state = Some((family, is_negative));
            }
        }
    }
    words
});

/// Returns what is known of a folded word.
pub(super) fn known(word: &[u8]) -> Known {
    WORDS.get(word).copied().unwrap_or_default()
}
