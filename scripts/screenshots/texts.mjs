// What agents in a web shop would learn. Half a sentence each, so that many different ones can be made of them.
export const TEXTS = {
  gotcha: [
    ['Jest needs --runInBand', 'on Windows, or the gate times out after 30 s'],
    ['resetAllMocks belongs in beforeEach', 'because auth mocks leak between suites otherwise'],
    ['pg returns bigint columns as strings', 'so sums in the cart turn into concatenations'],
    ['The Stripe webhook signs the raw body', 'so the JSON parser must not run before it'],
    ['Prisma migrate dev resets the database', 'when the migration history was edited by hand'],
    ['Node 20 fetch keeps sockets open', 'and the process does not exit until the agent is closed'],
    ['vitest in watch mode hangs in CI', 'pass --run, always'],
    ['Time zones shift order dates', 'when the server runs in UTC and the report groups by local day'],
    ['SQLite locks the file', 'while the importer holds a read transaction over a network call'],
    ['ESLint ignores files that start with a dot', 'unless they are named on the command line'],
  ],
  lesson: [
    ['Retry the payment call with an idempotency key', 'otherwise a timeout charges twice'],
    ['Integration tests run twice as fast', 'with one database per worker instead of one transaction per test'],
    ['Reading the failing assertion first', 'saves more time than rerunning with debug logs'],
    ['Feature flags that outlive their release', 'made the checkout slice twice as long as planned'],
    ['Split the search slice by index, not by screen', 'so that each part can be verified alone'],
    ['The image pipeline is bound by memory', 'four workers are slower than two on the build machine'],
    ['Snapshot tests of e-mails break on every copy change', 'assert the links and the amounts instead'],
    ['Describe the invariant in the prompt', 'and the worker stops rewriting the locking code'],
  ],
  decision: [
    ['Money is stored in minor units as integers', 'floats lost cents in the refund report'],
    ['Sessions live in Redis', 'because sticky cookies broke the blue-green deploy'],
    ['REST for partners, no GraphQL', 'partners cache by URL and ask for stable shapes'],
    ['The catalogue is read through a materialised view', 'joins over five tables took 900 ms at the 95th percentile'],
    ['Node 20 is the oldest version we support', 'the hosting image of two customers ends there'],
    ['Feature branches merge by squash', 'the history of main is read by the release notes'],
  ],
  pattern: [
    ['Repositories return domain objects', 'and never rows of the database'],
    ['Every job writes its cursor before it acknowledges', 'so that a restart repeats one item at most'],
    ['Errors carry a stable code', 'and the text may change'],
    ['Migrations add first, backfill second, remove third', 'in three releases'],
    ['Each slice ends with a gate', 'that runs lint, types and the tests of its area'],
  ],
  convention: [
    ['Test names are sentences that can be false', 'no "should"'],
    ['Events are named in the past tense', 'order-placed, not place-order'],
    ['Files in kebab-case, types in PascalCase', 'as the linter demands'],
    ['Environment variables start with SHOP_', 'so that a deploy can list them'],
  ],
}

export const AREAS = [
  'checkout',
  'catalogue',
  'auth',
  'payments',
  'search',
  'import',
  'e-mail',
  'admin',
  'pricing',
  'reports',
]

/** Tools with how often each captures. */
export const SOURCES = [
  ['forge_run_plan/slice-executor', 34],
  ['forge_sweep', 20],
  ['claude/stop-hook', 16],
  ['watcher/schema', 9],
  ['forge_analyze', 8],
  ['ralph/loop', 7],
  ['copilot', 5],
  ['ci/gate', 4],
]

export const REASONS = [
  'HTTP 413: the endpoint takes at most 16,384 bytes',
  'HTTP 422: metadata.project is not allowed for this key',
  'gave up after 5 attempts: connect ECONNREFUSED 10.0.4.18:5432',
]
