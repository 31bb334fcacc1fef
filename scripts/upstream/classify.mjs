// Classifies the tests of Plan Forge by what they do with its own modules, with ours in their place, and with nothing in their place.

/** What differs on purpose: the file of a test, a word of its name or of its failure, and why. docs/reference/plan-forge.md has more. */
const ON_PURPOSE = [
  [/hub-ask/, /_deliverResponse/, '`_deliverResponse` is private'],
  [
    /capture-memory/,
    /_attempts|_lastError|attempts|last ?error|backoff|simulated-failure/i,
    'the back-off is kept beside the queue',
  ],
  [
    /capture-memory/,
    /openBrainQueued|openbrain-queue|queue|unconfigured|not configured/i,
    'the queue fills without a store',
  ],
  [
    /g3-gx|memory/,
    /validateSourceFormat|source format|invalid source|bad source|forge_ prefix/i,
    'any tool is a valid source',
  ],
  [/lattice/, /ERR_INVALID_SINCE|unknown revision|bad revision/i, 'an unknown revision is an error'],
  [/memory/, /\bdedup\w*.*(last 50|window)/i, 'duplicates are found in the whole history'],
]

/** The tests of a report of vitest (`--reporter=json`), by name. */
export function testsOf(report) {
  const tests = new Map()
  for (const { name: file, assertionResults } of report.testResults) {
    for (const { fullName, status, failureMessages = [] } of assertionResults) {
      tests.set(`${file} > ${fullName}`, { file, status, failure: failureMessages.join('\n') })
    }
  }
  return tests
}

const MISSING = { status: 'missing', failure: 'the file could not be loaded' }

/**
 * Sorts the tests into classes; `isMeasured` tells whether a file tests replaced modules. What passes with functions that throw passes without
 * us, and is counted apart.
 */
export function classify(own, replaced, throwing, isMeasured) {
  const [after, without] = [testsOf(replaced), testsOf(throwing)]
  const classes = {
    passes: [],
    passesWithoutUs: [],
    onPurpose: [],
    fails: [],
    failsWithItsOwnModules: [],
    skipped: [],
    unrelated: 0,
  }
  for (const [name, { file, status }] of testsOf(own)) {
    const ours = after.get(name) ?? MISSING
    const isWithoutUs = without.get(name)?.status === 'passed'
    const isReason = ([files, sign]) => files.test(file) && sign.test(`${name}\n${ours.failure}`)
    const reason = ON_PURPOSE.find(isReason)?.[2]
    if (!isMeasured(file) && ours.status === status) classes.unrelated += 1
    else if (status !== 'passed') classes[status === 'failed' ? 'failsWithItsOwnModules' : 'skipped'].push(name)
    else if (ours.status === 'passed') classes[isWithoutUs ? 'passesWithoutUs' : 'passes'].push(name)
    else if (reason !== undefined) classes.onPurpose.push(`${name} (${reason})`)
    else classes.fails.push(`${name}\n    ${ours.failure.split('\n')[0]}`)
  }
  return classes
}
