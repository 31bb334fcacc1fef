mod additions;
mod explicit_changes;
mod logs;
mod overlap;
mod pairs;
mod subject;

use super::*;
use crate::text::Statement;

fn evidence(older: &str, newer: &str) -> Option<Evidence> {
    let (claims, statement) = (Claims::of(newer), Statement::of(newer));
    let (other, words) = (Claims::of(older), Statement::of(older));
    let (mut keys, mut is_found) = (Vec::new(), false);
    take_keys(&other, words.words(), &mut keys);
    let mut topics = Vec::new();
    take_topic_keys(&other, &mut topics);
    keys.append(&mut topics);
    each_wanted(&claims, statement.words(), |key| is_found |= keys.contains(&key));
    let mut reason = Reason::default();
    each_topic(&claims, |topic| {
        if keys.contains(&topic.key) {
            reason = reason.and(Reason::of(topic, &Frequency::default()));
        }
    });
    is_found |= reason.is_enough();
    let found = Newer::new(&claims, &statement).against(older);
    if found.is_some() && !is_found {
        return None;
    }
    found
}

/// Fails with all the pairs of which the older text is retired, or is not, against what is expected.
fn check(pairs: &[(&str, &str)], retires: bool) {
    let is_wrong =
        |(older, newer): &&(&str, &str)| evidence(older, newer).is_some_and(|found| found.retires) != retires;
    let wrong: Vec<String> = pairs
        .iter()
        .filter(is_wrong)
        .map(|(older, newer)| format!("{older} | {newer}: {:?}", evidence(older, newer)))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_new_value_of_the_same_subject_retires_the_old_one() {
    let pairs = [
        (
            "The API rate limit is 100 requests per minute",
            "The API rate limit is 250 requests per minute",
        ),
        (
            "The API rate limit is 100 requests per minute",
            "API rate limit was raised to 250 requests per minute",
        ),
        ("We deploy on Tuesday", "We deploy on Thursday now"),
        ("Deploys happen on Tuesdays", "We deploy on Thursdays"),
        ("The project needs Node 18", "The project needs Node 20"),
        ("Node version is 18", "Node 20 is required"),
        ("Ann owns the billing service", "Bob owns the billing service"),
        ("Ann owns the billing service", "The billing service is owned by Bob"),
        (
            "The owner of the billing service is Ann",
            "From now on Bob owns the billing service",
        ),
        ("The gateway times out after 30 s", "The gateway times out after 60 s"),
        ("Gateway timeout: 30s", "The gateway timeout is 1 minute"),
        ("Use yarn for installs", "Use pnpm for installs"),
        ("Our package manager is yarn", "Our package manager is pnpm"),
        ("We use yarn", "We use pnpm"),
        ("The test suite passes on Windows", "The test suite fails on Windows"),
        ("The batch size is 50", "The batch size is 500"),
        ("The API listens on port 8080", "As of v3 the API listens on port 9090"),
        ("The API port is 8080", "API port: 9090"),
        ("The default branch is master", "The default branch is main"),
        (
            "The config lives in conf/app.toml",
            "The config lives in settings/app.toml",
        ),
        (
            "Run the migrations with `npm run migrate`",
            "Run the migrations with `make migrate`",
        ),
        (
            "Staging is at https://staging.example.com",
            "Staging is at https://stage.example.org",
        ),
        ("Run jest with --runInBand on CI", "Run jest with --maxWorkers=2 on CI"),
        ("Tests can run in parallel", "Tests cannot run in parallel"),
        (
            "Feature flags are enabled in production",
            "Feature flags are disabled in production",
        ),
        ("Run migrations before the deploy", "Run migrations after the deploy"),
        ("The log level is debug", "The log level is info"),
        ("Use axios for HTTP calls", "Use undici for HTTP calls"),
    ];
    check(&pairs, true);
}

#[test]
fn similar_statements_about_different_things_are_not_retired() {
    let pairs = [
        (
            "find_le returns the rightmost value less than or equal to x",
            "find_lt returns the rightmost value less than x",
        ),
        ("Use find_le for inclusive bounds", "Use find_lt for exclusive bounds"),
        (
            "The billing service listens on port 8080",
            "The search service listens on port 9090",
        ),
        (
            "The staging API listens on port 8080",
            "The production API listens on port 9090",
        ),
        ("The API port is 8080", "The staging API port is 9090"),
        (
            "Run `cargo test` for the Rust crates",
            "Run `npm test` for the Node package",
        ),
        ("Issue 12 is about the parser", "Issue 13 is about the parser"),
        ("Test 4 hangs on Windows", "Test 5 hangs on Windows"),
        ("Server 1 runs Debian", "Server 2 runs Debian"),
        ("Lesson 12: close the pool", "Lesson 13: close the pool"),
        ("worker 3 wrote record 10", "worker 3 wrote record 11"),
        ("text 7", "text 8"),
        (
            "Released 1.2.0 with the new parser",
            "Released 1.3.0 with the new parser",
        ),
        ("The build fails on Node 18", "The build fails on Node 20"),
        ("E1042 means the token expired", "E1043 means the token expired"),
        ("Use jest for unit tests", "Use playwright for browser tests"),
        ("Should we use yarn?", "Should we use pnpm?"),
        (
            "Step 1 of the release is the changelog",
            "Step 2 of the release is the changelog",
        ),
        (
            "The API rate limit is 100 per minute",
            "The API burst limit is 250 per minute",
        ),
        ("Ann owns billing", "Bob owns search"),
        (
            "pnpm hoists differently than yarn",
            "yarn workspaces need a private root",
        ),
        ("Redis listens on 6379", "Postgres listens on 5432"),
        ("add: src/one.ts", "add: src/two.ts"),
        ("see src/a.ts", "see src/b.ts"),
        ("Read docs/a.md", "Read docs/b.md"),
        ("change: src/one.ts", "change: src/two.ts"),
        ("unlink: src/one.ts", "unlink: src/two.ts"),
        ("A file was added: src/one.ts", "A file was added: src/two.ts"),
        ("Retry 3 times on timeouts", "Wait 5 s before a retry"),
        (
            "Use yarn for installs. The lock file is committed. CI caches it.",
            "Use pnpm for installs",
        ),
    ];
    check(&pairs, false);
}

#[test]
fn weak_evidence_links_records() {
    let wrong: Vec<String> = RIVALS
        .iter()
        .filter(|(older, newer)| evidence(older, newer).is_none())
        .map(|(older, newer)| format!("{older} | {newer}"))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn things_with_similar_names_are_not_linked() {
    let wrong: Vec<String> = LOOK_ALIKES
        .iter()
        .filter_map(|(older, newer)| Some(format!("{older} | {newer}: {:?}", evidence(older, newer)?)))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The newer one gives the same thing another value, in other words.
const RIVALS: &[(&str, &str)] = &[
    (
        "The auth service is written in Python.",
        "The auth service was rewritten in Go.",
    ),
    (
        "Use `npm run dev` to start the dev server",
        "The dev server is now started with `bun dev`",
    ),
    (
        "Log level in production is info",
        "Log level in production was changed to warn",
    ),
    ("Deployments go to us-east-1", "We now deploy to eu-central-1"),
    (
        "Alice is the lead of the platform team",
        "Bob replaced Alice as lead of the platform team",
    ),
    (
        "API keys are stored in .env",
        "API keys are no longer stored in .env, use 1Password CLI",
    ),
    ("Database: MongoDB", "Database migrated to PostgreSQL"),
    ("Redis runs on port 6379", "Redis port changed: 6379 -> 6380"),
    ("the retry count is 3", "we retry 5 times now instead of 3"),
    (
        "Staging URL is https://staging.foo.io",
        "Staging URL changed to https://stage.foo.dev",
    ),
    ("The build uses Gradle 7", "Upgraded the build to Gradle 8.5"),
    ("The linter is flake8", "Replaced flake8 by ruff"),
    (
        "Feature flag FF_SEARCH is disabled",
        "FF_SEARCH has been enabled for everyone",
    ),
    ("Cron runs nightly at 1am", "Cron moved to 3am"),
    (
        "The primary region is us-west-2",
        "Primary region switched to us-east-2",
    ),
    ("Branch naming: feature/xyz", "Branch naming convention is now user/xyz"),
    (
        "GraphQL endpoint is /graphql",
        "GraphQL endpoint is /api/graphql since v2",
    ),
    (
        "session cookie is named sid",
        "session cookie renamed from sid to __Host-session",
    ),
    (
        "Docker base image is node:18",
        "Docker base image bumped to node:20-slim",
    ),
    (
        "Search is powered by Elasticsearch",
        "Search is powered by Typesense now",
    ),
    ("The team standup is at 9am", "Standup moved to 10am"),
    ("Use camelCase for JSON keys", "JSON keys use snake_case from now on"),
    (
        "The default timeout for requests is 30 seconds",
        "Default request timeout is 10s",
    ),
    (
        "The scheduler is Celery beat",
        "We replaced Celery beat by APScheduler as the scheduler",
    ),
    (
        "npm is used as the package manager",
        "we use pnpm as the package manager",
    ),
    ("Auth uses JWT", "Auth no longer uses JWT but opaque session tokens"),
    (
        "Vite dev server proxies to localhost:8000",
        "Vite dev server proxies to localhost:9000",
    ),
    ("The frontend framework is Vue 2", "The frontend framework is Vue 3"),
    ("Migration tool: Flyway", "We moved from Flyway to Liquibase"),
    (
        "Run migrations manually before deploy",
        "Migrations run automatically on deploy",
    ),
    (
        "Kubernetes namespace is app-prod",
        "The Kubernetes namespace was renamed to production",
    ),
    (
        "cli flag --dry is supported",
        "cli flag --dry was replaced with --dry-run",
    ),
    ("Carl maintains the CLI", "The CLI is maintained by Dora now"),
    ("The API returns XML", "The API returns JSON"),
    (
        "Use the staging database for tests",
        "Use an in-memory SQLite for tests, not the staging database",
    ),
    (
        "The job queue is Bull",
        "Bull has been replaced with BullMQ as the job queue",
    ),
    ("Frontend lives in /client", "Frontend lives in /apps/web"),
    ("Logging library is log4j", "Logging library is logback"),
    ("Slack channel: #dev-help", "Slack channel: #eng-support"),
    ("We use Vite", "Rolled back from Vite to webpack"),
    ("The cache TTL is 5 minutes", "Cache TTL: 10min"),
    (
        "The repo uses CircleCI",
        "CircleCI config removed, the repo uses GitHub Actions",
    ),
    ("Project uses Yarn workspaces", "Project switched to pnpm workspaces"),
    (
        "Primary contact for the vendor is Olga",
        "Primary contact for the vendor is Pavel",
    ),
    ("Marta is the go-to person for DNS", "Jan is the go-to person for DNS"),
    (
        "Marta has the admin rights for the registry",
        "Jan has the admin rights for the registry, Marta left",
    ),
    (
        "Owner of the design tokens: @marta",
        "@jan owns the design tokens as of today",
    ),
    ("Marta runs the weekly triage", "Jan runs the weekly triage from now on"),
    ("Team Blue owns ingest, Team Red owns export", "Team Green owns ingest"),
    ("We deploy canaries first", "We stopped deploying canaries first"),
    (
        "We store sessions in JWT cookies",
        "Reverting JWT cookies: sessions are stored in Redis",
    ),
    (
        "cargo workspace uses resolver 2",
        "workspace went back to resolver 1 for now",
    ),
    (
        "Build cache is remote",
        "Remote build cache disabled, build cache is local again",
    ),
    (
        "Rate limiter uses a sliding window",
        "Rate limiter is a token bucket again",
    ),
    ("we allow direct pushes", "direct pushes are blocked"),
    ("ruby 3.1.4 (see .ruby-version)", "ruby 3.3.0 (see .ruby-version)"),
    ("Target framework: net6.0", "Target framework: net8.0"),
    ("Postgres 14 in prod", "Postgres 16 in prod since the weekend"),
    ("CI image: ubuntu-20.04", "CI image: ubuntu-22.04"),
    ("The API is at v1", "The API is at v2"),
    ("The schema version is 17", "The schema version is 18"),
    ("npm 8 is required", "npm 10 is required"),
    ("C++ standard: 17", "C++ standard: 20"),
    ("xcode 14.3 builds the app", "xcode 15.2 builds the app"),
    ("Sessions live for 12 h", "Sessions live for 2 h"),
    ("a user can have 3 devices", "a user can have 5 devices"),
    ("memory limit of pods: 512Mi", "memory limit of pods: 1Gi"),
    ("disk quota per project 10 GB", "disk quota per project 50 GB"),
    ("API calls time out after 10s", "API calls now time out after 3s"),
    (
        "Jobs are retried 3 times with backoff",
        "Jobs are retried 8 times with backoff",
    ),
    ("We keep 5 releases on the server", "We keep 3 releases on the server"),
    (
        "El límite de peticiones es 100 por minuto.",
        "El límite de peticiones es 200 por minuto.",
    ),
    ("Le timeout est de 30 secondes.", "Le timeout est de 60 secondes."),
    (
        "Das Limit liegt bei 100 Anfragen pro Minute.",
        "Das Limit liegt bei 250 Anfragen pro Minute.",
    ),
    (
        "Frontend: React. Backend: Django. DB: MySQL.",
        "DB: Postgres (migrated from MySQL last week)",
    ),
    (
        "Note to agents: run `pytest -q` before finishing",
        "Note to agents: run `uv run pytest -q` before finishing",
    ),
    (
        "Put new endpoints in routes/api.php",
        "Put new endpoints in app/Http/Controllers",
    ),
    (
        "Use fixtures from tests/fixtures",
        "Use factories instead of fixtures in tests",
    ),
    ("CI secrets are in GitHub", "CI secrets moved to Doppler"),
    ("cdn: fastly", "cdn: cloudflare"),
    (
        "Translations are managed in Lokalise",
        "Translations are managed in Crowdin",
    ),
];

const LOOK_ALIKES: &[(&str, &str)] = &[
    (
        "The auth service is written in Python.",
        "The billing service is written in Go.",
    ),
    (
        "Use `npm run dev` to start the dev server",
        "Use `npm run build` to build for production",
    ),
    ("Redis runs on port 6379", "Postgres runs on port 5432"),
    (
        "Alice is the lead of the platform team",
        "Bob is the lead of the data team",
    ),
    ("API keys are stored in .env", "Certificates are stored in /etc/ssl"),
    ("max connections = 100", "max idle connections = 20"),
    ("The linter is flake8", "The formatter is black"),
    ("Cron runs nightly at 1am", "Backups run nightly at 3am"),
    ("unit tests use jest", "integration tests use mocha"),
    ("The API gateway runs on port 80", "The admin gateway runs on port 81"),
    ("Feature flag FF_A is enabled", "Feature flag FF_B is disabled"),
    ("src/a.ts exports foo", "src/b.ts exports bar"),
    ("Bug in parser.ts fixed", "Bug in lexer.ts fixed"),
    ("Carl maintains the CLI", "Dora maintains the SDK"),
    ("PR 12 was merged", "PR 13 was merged"),
    ("release 1.2 shipped on Monday", "release 1.3 shipped on Friday"),
    ("The user service has 3 replicas", "The order service has 5 replicas"),
    (
        "Database backups are stored in S3",
        "Application logs are stored in CloudWatch",
    ),
    ("The web client uses React", "The mobile client uses Flutter"),
    ("Prod uses 4 instances", "Staging uses 1 instance"),
    ("Run `make lint` before committing", "Run `make test` before committing"),
    ("Customer 1001 is on the pro plan", "Customer 1002 is on the free plan"),
    (
        "lesson 4: always close the file",
        "lesson 5: never share the connection",
    ),
    ("The login page uses a modal", "The signup page uses a wizard"),
    ("connect timeout is 3s", "read timeout is 10s"),
    ("Auth uses JWT", "Auth uses bcrypt for password hashes"),
    ("Use Redis for caching", "Use Postgres for persistence"),
    ("The cart is stored in Redis", "The catalog is stored in Postgres"),
    ("file A is owned by root", "file B is owned by www-data"),
    ("The iOS build uses Xcode 15", "The Android build uses Gradle 8"),
    ("error 500 means the backend is down", "error 429 means rate limited"),
    ("Always validate input on the server", "Never trust client timestamps"),
    ("The parser handles UTF-8", "The parser fails on UTF-16"),
    ("the api container needs 512MB", "the worker container needs 2GB"),
    ("GET /users returns a list", "GET /users/:id returns one user"),
    ("We use Docker for local dev", "We use Kubernetes in production"),
    ("step 1 installs deps", "step 2 runs the build"),
    ("The queue is processed in order", "The queue is persisted to disk"),
    ("The scheduler is Celery beat", "The scheduler writes to the audit log"),
    ("Kafka has 3 brokers", "Kafka retention is 7 days"),
    ("The frontend repo is acme/web", "The backend repo is acme/api"),
    ("eu-1 cluster runs k8s 1.28", "us-1 cluster runs k8s 1.27"),
    ("tests in foo_test.go are slow", "tests in bar_test.go are flaky"),
    ("The export job runs at 02:00", "The import job runs at 04:00"),
    ("Use --verbose for debugging", "Use --quiet in CI"),
    ("the config is loaded from disk", "the config is validated on start"),
    ("Tom prefers tabs", "Ann prefers spaces"),
    ("package a depends on b 1.0", "package c depends on b 2.0"),
    ("The header is 64px high", "The footer is 48px high"),
    ("the iOS team uses Jira", "the web team uses Linear"),
    ("translations: Marta", "documentation: Jan"),
    ("Marta runs the weekly triage", "Marta runs the monthly retro"),
    ("ruby 3.1.4 (see .ruby-version)", "node 20.1.0 (see .nvmrc)"),
    ("Frontend: React", "Backend: Django"),
    ("cdn: fastly", "dns: cloudflare"),
    ("Trial lasts 14 days", "Grace period lasts 3 days"),
    ("a user can have 3 devices", "a team can have 50 users"),
    ("The API is at v1", "The CLI is at v2"),
    ("Put new endpoints in routes/api.php", "Put new jobs in app/Jobs"),
    ("prod runs Postgres 14", "prod runs Redis 7"),
    ("Kubernetes 1.28 in prod", "Kubernetes 1.29 in staging"),
    ("Backend guild is led by Marta", "Frontend guild is led by Jan"),
    ("the mobile app is native", "the mobile app is signed in CI"),
    ("DNS is at Route 53", "DNS is propagated in 5 minutes"),
    ("Prettier runs on save", "ESLint runs on commit"),
    ("CI image: ubuntu-22.04", "CI timeout: 30 min"),
    ("Max 5 concurrent builds", "Max 2 concurrent deploys"),
    ("Use factories in unit tests", "Use recordings in contract tests"),
    ("Rate limiter: sliding window", "Circuit breaker: half-open after 30 s"),
    ("Jobs are retried 3 times", "Webhooks are retried 8 times"),
    ("Team Blue owns ingest", "Team Red owns export"),
    ("agents should run the tests", "agents should update the changelog"),
    ("Sentry release is tagged v1.4.2", "Sentry environment is production"),
    ("memory limit of pods: 512Mi", "cpu limit of pods: 500m"),
    ("Search is indexed hourly", "Search is limited to 50 hits"),
    (
        "invoice PDFs are rendered by Puppeteer",
        "invoice PDFs are stored in S3",
    ),
    ("en.json has 1200 keys", "de.json has 1100 keys"),
    ("The red team tests prod", "The blue team defends prod"),
    ("Feature A depends on B", "Feature C depends on D"),
    ("Fixed a race in the cache", "Fixed a race in the pool"),
];

proptest::proptest! {
    #[test]
    fn claims_of_any_text_are_extracted_without_panics(older in TEXTS, newer in TEXTS) {
        evidence(&older, &newer);
    }
}

/// Phrases that the rules look for, in any order, among anything.
const TEXTS: &str = "((from|to|instead of|no longer|->|was|now|`|is|owned by|replaced|any more|not|,|:|=|8080|30s|éx|\\PC{0,3}) ?){0,14}";
