//! The lexicon of claim extraction: mutually exclusive states, interchangeable tools, units, and words that do not belong to a subject.
//! It covers English as developers write it; `languages` has the words of others.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;
use xxhash_rust::xxh3::xxh3_64;

use super::roles::{Mark, Relation, Role};
use super::words::{Words, words};
use super::{languages, outline_words};
use crate::text::stem;

pub(super) const BE: &Words = words!["is", "are", "be", "was"];

/// Families of states: the rows of a family exclude each other.
const STATES: [&str; 19] = [
    "pass passes passing passed succeeds succeed works work working green healthy | fail fails failing failed broken \
     breaks crashes red unhealthy",
    "enabled enable active activated | disabled disable inactive deactivated paused suspended",
    "allowed allow permitted allows | forbidden forbid prohibited banned disallowed forbids blocked frozen",
    "required mandatory compulsory | optional",
    "true | false",
    "safe | unsafe",
    "public | private",
    "synchronous synchronously sync | asynchronous asynchronously async",
    "supported | unsupported",
    "stable | unstable flaky",
    "before | after",
    "always | never | sometimes",
    "manual manually | automatic automatically automated",
    "tabs | spaces",
    "squash | rebase",
    "blocking | non-blocking nonblocking",
    "opt-in | opt-out",
    "by-hand | generated",
    "case-sensitive | case-insensitive",
];

/// Categories of tools of which a project uses only one per purpose.
const TOOLS: [&str; 20] = [
    "npm yarn pnpm bun",
    "jest vitest mocha ava jasmine tap karma",
    "pytest unittest nose",
    "webpack vite rollup esbuild parcel rolldown turbopack rspack",
    "eslint biome tslint standard oxlint",
    "prettier dprint",
    "postgres postgresql mysql mariadb sqlite mongodb cockroachdb oracle dynamodb mongo",
    "redis memcached valkey keydb",
    "jenkins circleci travis buildkite teamcity drone",
    "express fastify koa hapi nestjs hono",
    "axios got ky undici fetch superagent",
    "redux zustand mobx recoil jotai",
    "prisma drizzle typeorm sequelize knex mikroorm",
    "aws gcp azure heroku fly vercel netlify",
    "kafka rabbitmq nats sqs pulsar",
    "black ruff flake8 pylint autopep8 yapf",
    "poetry pipenv pip uv conda",
    "playwright cypress selenium puppeteer testcafe",
    "moment dayjs date-fns luxon",
    "winston pino bunyan log4js",
];

/// Words that mark hearsay.
const HEARSAY: &str = "might maybe perhaps may probably possibly apparently heard think seems guess afaik reportedly supposedly allegedly rumor";

const FILLERS: &str = "a an the this that these those is are be been being was were am it its our we us i you your they their my he she of to \
     for in at by with via on and as into onto there here has have had do does did will would should must can shall please so \
     then just also very set sets setting configured listen listens listening bind binds bound live lives located stored sits \
     found exposed served serves called named equals equal raised increased lowered decreased reduced bumped changed updated \
     upgraded downgraded moved switched migrated happens happen takes take out currently about around roughly exactly all \
     every each any per instead rather than value new latest current everyone team project make sure remember note get gets \
     got goes go need needs means actually really ever pinned expects expect requires require starts start stands points \
     point defaults s who whose some such but under these-days again still already longer from reachable hosted running \
     available we're it's they're we've that's i'm you're";

const FORMS: &[&str] = &[
    "database = db databases",
    "production = prod",
    "repository = repo",
    "configuration = config",
    "environment = env",
    "authentication = auth",
    "documentation = docs",
    "development = dev",
    "maximum = max",
    "minimum = min",
    "deploy = deployments deployment deploys deployed",
    "release = releases",
    "own = belongs belong owned owns owner ownership owners maintains maintained maintainer leads responsible",
    "test = tests testing specs",
    "install = installs installing installation",
    "dependency = dependencies deps",
    "package = packages",
    "indent = indentation indenting",
    "lint = linting",
    "format = formatting",
    "build = builds building built",
    "node = nodejs node.js",
    "timeout = timeouts",
    "run = runs ran",
    "folder = directory dir",
    "request = requests",
    "token = tokens",
    "expiry = expires expire expiration lifetime validity",
    "retry = retries retried",
    "standup = standups stand-up",
    "meeting = meetings",
    "write = written writes wrote writing",
    "keep = kept keeps",
    "make = made makes",
    "send = sent sends",
    "read = reads reading",
    "pr = prs",
    "retain = retention retained retains",
];

const NUMBERED: &str = "run slice attempt iteration build chunk issue pr ticket bug step chapter section line lines commit shard worker replica \
     phase event item page sprint error rule task week round figure part module room floor zone partition option case \
     milestone epic story job exit status code http adr rfc es utf sha md table batch cluster vm tier number level";

const MEASURED: &str = "port version timeout limit node python java ruby golang rust php deno django react rails typescript ttl quota threshold \
     v length size width height depth capacity memory versión versione puerto porta msrv webpack prisma angular vue svelte next nuxt \
     postgres mysql redis kubernetes terraform gradle maven kotlin swift dotnet electron android ios sdk protoc flutter deno bun cmake elixir erlang scala";

const SETTINGS: &str = "branch name region host hostname level user role bucket theme license licence encoding timezone currency locale manager \
     framework engine format strategy algorithm channel prefix suffix url path file folder directory command flag key \
     variable domain endpoint image registry queue topic language database cache model owner contact reviewer lead editor \
     runner linter formatter bundler font color colour mode provider backend frontend day header secret schema namespace \
     entrypoint entry";

/// A word of the lexicon.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Word {
    /// Its role.
    pub role: Option<Role>,
    /// It names a setting, whose value follows "is".
    pub is_setting: bool,
    /// A number after it is part of a name.
    pub is_numbered: bool,
    /// A number after it is its value, anywhere in the sentence.
    pub is_measured: bool,
    /// Its role in weak evidence.
    pub mark: Mark,
    /// The relation between the subject and what follows it.
    pub relation: Option<Relation>,
    /// It expresses a view, as "basically" does.
    pub is_besides: bool,
    /// It qualifies a number, as "at most" does.
    pub is_around: bool,
    /// A verb of responsibility, of which a thing has one holder.
    pub is_office: bool,
    /// It occurs in statements of change.
    pub is_of_change: bool,
    /// It describes a quality rather than identifying a thing.
    pub is_quality: bool,
    /// It names a problem.
    pub is_problem: bool,
    /// The number that it spells out.
    pub number: Option<u8>,
    /// Whether it counts repetitions: "twice".
    pub is_times: bool,
    /// The hash of its root, the same for all its forms; 0 for words outside of the lexicon.
    pub root: u64,
    /// The [`traits`] that it gives to a clause, as bits.
    pub traits: u16,
}

/// Traits of a clause: the union of the bits of its words.
pub(super) mod traits {
    pub const EPISODE: u16 = 1;
    pub const TENTATIVE: u16 = 1 << 1;
    pub const HEARSAY: u16 = 1 << 2;
    pub const ADDITION: u16 = 1 << 3;
    pub const CHANGE: u16 = 1 << 4;
    /// It says that something is unchanged.
    pub const RESTATED: u16 = 1 << 5;
    /// It refers to the future.
    pub const AHEAD: u16 = 1 << 6;
    /// It may introduce a reason or a purpose.
    pub const ASIDE: u16 = 1 << 7;
    /// It may state a change.
    pub const OF_CHANGE: u16 = 1 << 8;
    /// It says that something is still true.
    pub const STILL: u16 = 1 << 9;
    /// For outlines: it tells nothing of the subject.
    pub const EMPTY: u16 = 1 << 10;
    /// For outlines: something has ended or was replaced.
    pub const ENDS: u16 = 1 << 11;
    /// For outlines: something has changed.
    pub const OUTLINE_CHANGE: u16 = 1 << 12;
    /// For outlines: it refers to the future.
    pub const OUTLINE_AHEAD: u16 = 1 << 13;
}

/// Units with their family and their size in the smallest unit of the family.
const UNITS: [(&str, u8, u32); 14] = [
    ("ms millisecond milliseconds msec", 1, 1),
    ("s sec secs second seconds", 1, 1_000),
    ("minute minutes mins", 1, 60_000),
    ("h hour hours hrs hr", 1, 3_600_000),
    ("days", 1, 86_400_000),
    ("weeks", 1, 604_800_000),
    ("kb kib kilobytes", 2, 1),
    ("mb mib megabytes", 2, 1_024),
    ("gb gib gigabytes", 2, 1_048_576),
    ("tb tib", 2, 1_073_741_824),
    ("% percent", 3, 1),
    ("rps req qps", 4, 1),
    ("px pixels", 5, 1),
    ("times attempts", 6, 1),
];
const NEGATION: &str = "not no don't doesn't isn't aren't cannot can't won't mustn't shouldn't didn't without nor wasn't weren't needn't dont doesnt isnt arent cant wont didnt";
const SINCE: &str = "now nowadays today henceforth";
const ASIDE: &str = "because since due otherwise whereas although though";
const TENTATIVE: &str = "could consider considering proposal propose proposed todo idea plan planning planned discuss discussing wonder evaluate \
     evaluating if whether asks rfc considered proposes";
const EPISODE: &str = "released shipped fixed merged published tagged opened closed met discussed happened occurred reported measured observed \
     crashed incident outage yesterday reverted investigated noticed saw hotfix postmortem demoed interviewed hired added";
const DAY: &str = "monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays thursdays fridays saturdays sundays daily weekly biweekly monthly nightly hourly quarterly yearly";
const USE: &str = "use uses using used prefer prefers adopt adopted chose choose picked";

const GENERIC: &str = "version port file path name url address server service app application project library tool package module system \
     code number work works manage managed handle handled do done make makes made keep kept write written still stay stays begin \
     begins begun start thing command line people locally run host hosted stored value setting going size default decision \
     own build compile target team status type kind supported request requests req req/min req/s requests/min rpm minute \
     second hour day box more project new current latest convention policy scheme style standard framework engine provider platform layer setup \
     library container instance process";
const QUALIFIERS: &str = "staging production dev development ci preview qa canary eu us emea apac windows linux macos mac ios android \
     arm64 x86 amd64 internal external public private primary secondary read write left right upload download frontend backend admin \
     web mobile legacy unit integration e2e browser min max minimum maximum import export input output inbound outbound first last \
     upper lower january february march april june july august september october november december";
const CHANGES: &str = "revert reverting now nowadays henceforth anymore again back moved migrated switched changed became renamed replaced raised lowered bumped \
     upgraded downgraded increased decreased reduced doubled halved reverted rolled took instead update correction rescheduled \
     transferred handed converted ported split extended shortened cut trimmed tripled adjusted expanded relocated rewritten \
     abandoned reassigned overhauled discontinued superseded swapped shifted flipped reversed longer swapped dropped undo undone undid left went returned rebranded retitled pulled lifted";
const ADDITIONS: &str = "also too additionally additional besides another likewise";

/// Words between a subject and a value, with the relation that they express.
const RELATIONS: [(&str, Relation); 6] = [
    (
        "is are was be called named set equals became says equal stays",
        Relation::Is,
    ),
    (
        "with by via through using extends from as returns emits produces speaks ask ping contact call message poke",
        Relation::With,
    ),
    (
        "in at to into under below beneath inside on onto over off",
        Relation::Place,
    ),
    ("for of per than behind without like", Relation::Other),
    ("when while if unless until before after", Relation::When),
    (
        "listens listen binds bind serves expects has have had needs need takes take requires require gets allows accepts within",
        Relation::Has,
    ),
];
const BESIDES: &str = "finally eventually officially basically mostly usually generally normally stuck simply meanwhile sadly luckily \
     unfortunately well btw imo internally everywhere overall needed enough or later newer higher above läuft laufen itself";
const AROUND: &str = "most least up than only max other between";
const OFFICES: &str = "manages maintains reviews looks administers approves handles coordinates supervises triages chairs drives writes answers \
     runs takes care signs publishes";
const OF_CHANGE: &str = "became becomes called named known titled rebranded retitled rechristened now nowadays henceforth since new place merged folded abandoned anymore available bump bumped canceled cancelled change changed converted dead decommissioned decreased unmaintained archived \
     deleted deprecated discontinued ditched down downgraded dropped eol exist exists flipped formerly gave given gone got \
     handed increase increased instead left longer lower lowered maintained migrate migrated migrating more move moved moving \
     needed not obsolete off opposed out passed place ported previously quit raise raised rather reassigned reduced removed \
     rename renamed replace replaced replaces replacing rescheduled retired rewritten rolled shifted split stopped superseded \
     supersedes swap swapped switch switched switching takes took transferred unused upgrade upgraded used valid was went \
     written";
const QUALITIES: &str = "slow fast fine ready done good bad hard easy big small huge tiny new old dead alive safe open full empty idle busy cheap \
     dirty clean ok great weird tricky noisy flat down unique rare heavy light strict loose critical quick short long high \
     low late early true wrong right gone ugly nice crucial local global atomic lazy eager thin simple complex deep free own \
     part";
const PROBLEMS: &str = "leak leaks bug hang hangs slowness error errors flake outage regression deadlock culprit cause";
/// Numbers as words from zero on, followed by "once" and its like.
const NUMBERS: &str = "zero one two three four five six seven eight nine ten eleven twelve";
const TIMES: &str = "once twice thrice";

static WORDS: LazyLock<FxHashMap<&'static str, Word>> = LazyLock::new(|| {
    let mut words: FxHashMap<&'static str, Word> = FxHashMap::default();
    let mut put = |list: &'static str, role: Role| {
        for word in list.split(' ') {
            words.entry(word).or_default().role = Some(role);
        }
    };
    put(FILLERS, Role::Filler);
    for (base, forms) in FORMS.iter().filter_map(|row| row.split_once(" = ")) {
        put(forms, Role::FormOf(base));
    }
    for (family, states) in (0..).zip(STATES) {
        for (which, list) in (0..).zip(states.split(" | ")) {
            put(list, Role::State(family, which));
        }
    }
    (0..)
        .zip(TOOLS)
        .for_each(|(family, tools)| put(tools, Role::Tool(family)));
    let others = [
        (NEGATION, Role::Negation),
        (SINCE, Role::Since),
        (HEARSAY, Role::Hearsay),
        (ASIDE, Role::Aside),
        (TENTATIVE, Role::Tentative),
        (EPISODE, Role::Episode),
        (DAY, Role::Day),
        (USE, Role::Use),
    ];
    others.into_iter().for_each(|(list, role)| put(list, role));
    UNITS
        .iter()
        .for_each(|(list, family, size)| put(list, Role::Unit(*family, *size)));
    for (list, mark) in [
        (NUMBERED, (|word: &mut Word| word.is_numbered = true) as fn(&mut Word)),
        (MEASURED, |word| word.is_measured = true),
        (SETTINGS, |word| word.is_setting = true),
    ] {
        list.split(' ').for_each(|word| mark(words.entry(word).or_default()));
    }
    for (role, list) in languages::ROLES {
        for word in list.split(' ') {
            words.entry(word).or_default().role.get_or_insert(role);
        }
    }
    add_weak(&mut words);
    add_traits(&mut words);
    for (word, known) in &mut words {
        let base = match known.role {
            Some(Role::FormOf(base)) => base,
            _ => word,
        };
        known.root = xxh3_64(stem(base).as_bytes());
    }
    words
});

/// The entry for words outside of the lexicon.
pub(super) static UNKNOWN: Word = Word {
    role: None,
    is_setting: false,
    is_numbered: false,
    is_measured: false,
    mark: Mark::None,
    relation: None,
    is_besides: false,
    is_around: false,
    is_office: false,
    is_of_change: false,
    is_quality: false,
    is_problem: false,
    number: None,
    is_times: false,
    root: 0,
    traits: 0,
};

/// Derives the trait bits from the other fields.
fn add_traits(words: &mut FxHashMap<&'static str, Word>) {
    for (list, bit) in [
        ("still remains remain stays unchanged untouched", traits::RESTATED),
        ("still remains unchanged", traits::STILL),
        ("will soon eventually going", traits::AHEAD),
        ("so to in after by", traits::ASIDE),
        (outline_words::EMPTY, traits::EMPTY),
        (languages::EMPTY, traits::EMPTY),
        (outline_words::ENDS, traits::ENDS),
        (languages::ENDS, traits::ENDS),
        (outline_words::CHANGES, traits::OUTLINE_CHANGE),
        (languages::CHANGES, traits::OUTLINE_CHANGE),
        (languages::OUTLINE_CHANGES, traits::OUTLINE_CHANGE),
        (outline_words::AHEAD, traits::OUTLINE_AHEAD),
        (languages::AHEAD, traits::OUTLINE_AHEAD),
    ] {
        list.split(' ')
            .for_each(|word| words.entry(word).or_default().traits |= bit);
    }
    for word in words.values_mut() {
        let of_role = match word.role {
            Some(Role::Episode) => traits::EPISODE,
            Some(Role::Tentative) => traits::TENTATIVE,
            Some(Role::Hearsay) => traits::HEARSAY,
            Some(Role::Aside) => traits::ASIDE,
            _ => 0,
        };
        let of_mark = match word.mark {
            Mark::Addition => traits::ADDITION,
            Mark::Change => traits::CHANGE,
            _ => 0,
        };
        let of_change = if word.is_of_change { traits::OF_CHANGE } else { 0 };
        word.traits |= of_role | of_mark | of_change;
    }
}

/// Adds the roles in weak evidence.
fn add_weak(words: &mut FxHashMap<&'static str, Word>) {
    let mut put = |list: &'static str, set: &dyn Fn(&mut Word)| {
        list.split(' ').for_each(|word| set(words.entry(word).or_default()));
    };
    for (list, mark) in [
        (GENERIC, Mark::Generic),
        (QUALIFIERS, Mark::Qualifier),
        (CHANGES, Mark::Change),
        (languages::CHANGES, Mark::Change),
        (ADDITIONS, Mark::Addition),
        (languages::ADDITIONS, Mark::Addition),
    ] {
        put(list, &|word| word.mark = mark);
    }
    for (list, relation) in RELATIONS.into_iter().chain(languages::RELATIONS) {
        put(list, &|word| word.relation = word.relation.or(Some(relation)));
    }
    put(BESIDES, &|word| word.is_besides = true);
    put(AROUND, &|word| word.is_around = true);
    put(OFFICES, &|word| word.is_office = true);
    put(QUALITIES, &|word| word.is_quality = true);
    put(PROBLEMS, &|word| word.is_problem = true);
    for list in [OF_CHANGE, languages::CHANGES, languages::OF_CHANGE] {
        put(list, &|word| word.is_of_change = true);
    }
    for (number, word) in (0..).zip(NUMBERS.split(' ')) {
        put(word, &|word| word.number = Some(number));
    }
    for (number, word) in (1..).zip(TIMES.split(' ')) {
        put(word, &|word| (word.number, word.is_times) = (Some(number), true));
    }
    // Synonyms and forms have the role of their base word.
    let of_base: Vec<(&'static str, Mark)> = words
        .iter()
        .filter_map(|(word, known)| match known.role {
            Some(Role::FormOf(base)) if known.mark == Mark::None => Some((*word, words.get(base)?.mark)),
            _ => None,
        })
        .collect();
    for (word, mark) in of_base {
        words.entry(word).or_default().mark = mark;
    }
}

/// Looks up a lower-case word.
pub(super) fn word_of(word: &str) -> &'static Word {
    WORDS.get(word).unwrap_or(&UNKNOWN)
}
