//! The lexicon of the sentence rules: lower-case words and phrases, one list per cue.

/// Prefixes of a text that is to be remembered.
pub(super) const REMEMBER_PREFIXES: [&str; 9] = [
    "remember:",
    "remember that ",
    "please remember that ",
    "please remember: ",
    "note for next time",
    "for next time:",
    "for future reference",
    "note to self:",
    "keep in mind that ",
];

/// First words of questions.
pub(super) const QUESTION_OPENERS: [&str; 37] = [
    "why",
    "how",
    "what",
    "which",
    "where",
    "who",
    "when",
    "should",
    "can",
    "could",
    "would",
    "is",
    "are",
    "do",
    "does",
    "did",
    "will",
    "may",
    "shall",
    "isn't",
    "doesn't",
    "don't you",
    "can't",
    "any",
    "have you",
    "has",
    "am",
    "was",
    "were",
    "what's",
    "how's",
    "wouldn't",
    "shouldn't",
    "couldn't",
    "do you",
    "did you",
    "have we",
];

/// First words of small talk.
pub(super) const SMALL_TALK_OPENERS: [&str; 33] = [
    "no rush",
    "no worries",
    "no problem",
    "no need",
    "no thanks",
    "no that's fine",
    "no that is fine",
    "no it works",
    "no it's fine",
    "never mind",
    "nevermind",
    "don't worry",
    "do not worry",
    "don't bother",
    "ok now",
    "okay now",
    "perfect",
    "great",
    "thanks",
    "thank you",
    "nice",
    "looks good",
    "i think",
    "maybe",
    "perhaps",
    "i wonder",
    "let me",
    "no let's talk",
    "no idea",
    "no luck",
    "i don't know",
    "i'm not sure",
    "not sure",
];

/// Phrases that limit a wish to the moment.
pub(super) const TEMPORARY: [&str; 24] = [
    "for now",
    "right now",
    "yet",
    "today",
    "tomorrow",
    "this time",
    "for the moment",
    "until i",
    "until we",
    "this once",
    "just once",
    "at the moment",
    "in this pr",
    "in this commit",
    "before you continue",
    "first",
    "while i",
    "wait for me",
    "not now",
    "later",
    "this one",
    "in a minute",
    "that commit",
    "this branch",
];

/// Words of orders and prohibitions.
pub(super) const DIRECTIVE: [&str; 24] = [
    "use", "don't", "do not", "never", "always", "must", "should", "instead", "not", "only", "keep", "put", "leave",
    "stop", "avoid", "run", "prefer", "write", "needs", "belongs", "need to", "has to", "have to", "without",
];

/// Phrases that state a decision.
pub(super) const DECISION: [&str; 24] = [
    "we decided",
    "we've decided",
    "we have decided",
    "i decided",
    "i've decided",
    "we agreed",
    "we settled on",
    "we chose",
    "we've chosen",
    "the decision is",
    "decision:",
    "decision",
    "we are going with",
    "we're going with",
    "i'm going with",
    "let's go with",
    "we'll go with",
    "we will go with",
    "let's stick with",
    "we're sticking with",
    "we'll stick with",
    "we are dropping",
    "we're dropping",
    "go with",
];

/// Phrases that state a change, which is a decision when a reason is given.
pub(super) const CHANGE: [&str; 12] = [
    "we'll use",
    "we will use",
    "let's use",
    "we switched to",
    "we're switching to",
    "let's switch to",
    "we moved to",
    "we're moving to",
    "we dropped",
    "let's drop",
    "we rolled back",
    "let's pin",
];

/// Phrases that introduce a reason.
pub(super) const RATIONALE: [&str; 8] = [
    "because",
    "instead of",
    "over",
    "rather than",
    "since",
    "so that",
    "due to",
    "not",
];

/// Phrases that say that something had been said before.
pub(super) const REPETITION: [&str; 14] = [
    "i told you",
    "i already told you",
    "i already said",
    "i've told you",
    "as i said",
    "i said",
    "second time",
    "third time",
    "how many times",
    "you keep",
    "you did it again",
    "you always forget",
    "every time you",
    "i asked you",
];

/// Phrases that say what the agent did wrong.
pub(super) const REPROACH: [&str; 9] = [
    "you forgot",
    "you missed",
    "you broke",
    "you ignored",
    "you were supposed to",
    "not what i asked",
    "not what i meant",
    "i meant",
    "that's not how",
];

/// Phrases that make a wish permanent.
pub(super) const PERMANENT: [&str; 14] = [
    "from now on",
    "going forward",
    "in the future",
    "as a rule",
    "every time",
    "our convention is",
    "our convention",
    "by convention",
    "my convention is",
    "house rule",
    "the rule is",
    "rule:",
    "project rule",
    "team rule",
];

/// Phrases that apply a wish to the whole project.
pub(super) const PROJECT_WIDE: [&str; 12] = [
    "in this repo",
    "in this project",
    "in this codebase",
    "in this repository",
    "in this package",
    "in our codebase",
    "in this team",
    "in our repo",
    "in this monorepo",
    "in this module",
    "in this workspace",
    "on this project",
];

/// Phrases that state a convention or preference.
pub(super) const CONVENTION: [&str; 16] = [
    "we always",
    "we never",
    "we don't",
    "we do not",
    "we only",
    "we use",
    "we prefer",
    "i prefer",
    "i'd prefer",
    "i always want",
    "i never want",
    "i want all",
    "i want every",
    "i expect",
    "we keep",
    "we avoid",
];

/// Words before "always" or "never" in an order.
pub(super) const BEFORE_ALWAYS: [&str; 19] = [
    "please", "you", "should", "must", "and", "but", "to", "then", "also", "so", "we", "sure", "agents", "no", "here",
    "code", "tests", "commits", "remember",
];

/// Words after "always" or "never" in a report.
pub(super) const AFTER_ALWAYS: [&str; 22] = [
    "mind", "been", "got", "worked", "works", "happened", "happens", "fails", "failed", "seen", "saw", "heard", "had",
    "fail", "crashes", "returns", "returned", "forget", "was", "gets", "noticed", "wrong",
];

/// Words that may precede "do not".
pub(super) const BEFORE_DO_NOT: [&str; 9] = ["please", "and", "also", "but", "no", "nope", "again", "just", "ok"];

/// Words after "do not" in small talk.
pub(super) const AFTER_DO_NOT: [&str; 17] = [
    "worry",
    "know",
    "think",
    "understand",
    "see",
    "care",
    "need",
    "forget",
    "remember",
    "mind",
    "want",
    "have",
    "that",
    "it",
    "do",
    "get",
    "be",
];

/// Topics of facts about the environment.
pub(super) const ENVIRONMENT_TOPICS: [&str; 41] = [
    "server",
    "database",
    "db",
    "postgres",
    "postgresql",
    "redis",
    "mysql",
    "staging",
    "production",
    "prod",
    "api",
    "ci",
    "docker",
    "node",
    "python",
    "java",
    "ruby",
    "go",
    "rust",
    "port",
    "vpn",
    "proxy",
    "registry",
    "cluster",
    "machine",
    "laptop",
    "deploy",
    "deploys",
    "deployment",
    "env",
    "environment",
    "service",
    "backend",
    "frontend",
    "emulator",
    "socket",
    "kafka",
    "broker",
    "endpoint",
    "runner",
    "runners",
];

/// Verbs that state such a fact.
pub(super) const STATE_VERBS: [&str; 23] = [
    "is on port",
    "runs on",
    "run on",
    "runs at",
    "listens on",
    "is at",
    "lives at",
    "lives on",
    "is reachable",
    "is hosted",
    "is on",
    "uses node",
    "uses python",
    "requires",
    "needs",
    "on port",
    "is behind",
    "has to be set",
    "must be set",
    "must be running",
    "has to be running",
    "only works",
    "is version",
];

/// First words of orders, which are not facts.
pub(super) const IMPERATIVE_OPENERS: [&str; 12] = [
    "run", "use", "start", "stop", "kill", "change", "open", "connect", "set", "restart", "deploy", "move",
];

/// Verbs of reports about what happens.
pub(super) const REPORT_VERBS: [&str; 34] = [
    "is broken",
    "is failing",
    "are failing",
    "fails",
    "failed",
    "failing",
    "crashes",
    "crashed",
    "is down",
    "doesn't work",
    "does not work",
    "didn't work",
    "won't work",
    "not working",
    "still",
    "throws",
    "i see",
    "i get",
    "i got",
    "i'm getting",
    "it says",
    "error",
    "errors out",
    "it seems",
    "looks like",
    "seems like",
    "was working",
    "used to",
    "hangs",
    "timed out",
    "times out",
    "returned",
    "printed",
    "i noticed",
];
