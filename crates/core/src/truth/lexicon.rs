//! Words that make a difference to what a text asserts: states that exclude each other, tools that stand in for each other,
//! units, and words that are no part of what a statement is about. English, as developers write it.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

/// What a word does in a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// It is no part of the subject.
    Filler,
    /// It turns the statement around.
    Negation,
    /// One of several states that exclude each other: family, and which of them.
    State(u8, u8),
    /// A tool of a kind of which a project uses one.
    Tool(u8),
    /// It says since when a statement holds, or that it holds now.
    Since,
    /// What follows is a reason or a circumstance, and no part of the statement.
    Aside,
    /// The statement is about what may be, or happened once: it is not held to be so.
    Tentative,
    /// Somebody says so; nobody has looked.
    Hearsay,
    /// The statement tells of something that happened once; what it says then, another one does not change.
    Episode,
    /// A day or a rhythm.
    Day,
    /// A unit: family, and its size in the smallest of the family.
    Unit(u8, u32),
    /// Another way to say this word.
    FormOf(&'static str),
    /// What follows is what is used.
    Use,
}

/// Families of states: each row excludes the others of its family.
const STATES: [&str; 19] = [
    "pass passes passing passed succeeds succeed works work working green healthy | fail fails failing failed broken \
     breaks crashes red unhealthy",
    "enabled enable active activated | disabled disable inactive deactivated",
    "allowed allow permitted allows | forbidden forbid prohibited banned disallowed forbids",
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

/// Kinds of tools of which a project uses one for one thing.
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

/// Words by which somebody says that they have not looked.
const HEARSAY: &str = "might maybe perhaps may probably possibly apparently heard think seems guess afaik reportedly supposedly allegedly rumor";

const FILLERS: &str = "a an the this that these those is are be been being was were am it its our we us i you your they their my he she of to \
     for in at by with via on and as into onto there here has have had do does did will would should must can shall please so \
     then just also very set sets setting configured listen listens listening bind binds bound live lives located stored sits \
     found exposed served serves called named equals equal raised increased lowered decreased reduced bumped changed updated \
     upgraded downgraded moved switched migrated happens happen takes take out currently about around roughly exactly all \
     every each any per instead rather than value new latest current everyone team project make sure remember note get gets \
     got goes go need needs means actually really ever pinned expects expect requires require starts start stands points \
     point defaults s who whose some such but under these-days again still already longer from reachable hosted running \
     available";

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
    "own = owned owns owner ownership owners maintains maintained maintainer leads responsible",
    "test = tests testing",
    "install = installs installing installation",
    "dependency = dependencies deps",
    "package = packages",
    "indent = indentation indenting",
    "lint = linting",
    "format = formatting",
    "build = builds building",
    "node = nodejs node.js",
    "timeout = timeouts",
    "run = runs ran",
    "folder = directory dir",
    "request = requests",
    "token = tokens",
    "expiry = expires expire expiration",
    "retry = retries retried",
    "standup = standups stand-up",
    "meeting = meetings",
];

const NUMBERED: &str = "run slice attempt iteration build chunk issue pr ticket bug step chapter section line lines commit shard worker replica \
     phase event item page sprint error rule task week round figure part module room floor zone partition option case \
     milestone epic story job exit status code http adr rfc es utf sha md table batch cluster vm tier";

const MEASURED: &str = "port version timeout limit node python java ruby golang rust php deno django react rails typescript ttl quota threshold \
     v";

const SETTINGS: &str = "branch name region host hostname level user role bucket theme license licence encoding timezone currency locale manager \
     framework engine format strategy algorithm channel prefix suffix url path file folder directory command flag key \
     variable domain endpoint image registry queue topic language database cache model owner contact reviewer lead editor \
     runner linter formatter bundler font color colour mode provider backend frontend day header secret schema namespace \
     entrypoint entry";

/// What is known of a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Word {
    /// What it does.
    pub role: Option<Role>,
    /// It is a setting: what follows "is" is its value.
    pub is_setting: bool,
    /// A number behind it is a name.
    pub is_numbered: bool,
    /// A number behind it is its value, wherever in the sentence it stands.
    pub is_measured: bool,
}

/// Units, their family, and how large each is in the smallest of its family.
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
const NEGATION: &str =
    "not no don't doesn't isn't aren't cannot can't won't mustn't shouldn't didn't without nor wasn't weren't needn't";
const SINCE: &str = "now nowadays today";
const ASIDE: &str = "because since due otherwise whereas although though";
const TENTATIVE: &str = "could consider considering proposal propose proposed todo idea plan planning planned discuss discussing wonder evaluate \
     evaluating if whether asks rfc";
const EPISODE: &str = "released shipped fixed merged published tagged opened closed met discussed happened occurred reported measured observed \
     crashed incident outage yesterday reverted investigated noticed saw hotfix postmortem demoed interviewed hired added";
const DAY: &str = "monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays thursdays fridays saturdays sundays \
     daily weekly biweekly monthly nightly hourly quarterly yearly";
const USE: &str = "use uses using used prefer prefers adopt adopted chose choose picked";

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
    words
});

/// Returns what is known of a word in lower case.
pub(super) fn word_of(word: &str) -> Word {
    WORDS.get(word).copied().unwrap_or_default()
}
