// Classifies the tests of Plan Forge by what they do with its own modules and with the replaced ones.

/** What differs on purpose, by a word of a test's name or of its failure. docs/reference/plan-forge.md says why. */
const ON_PURPOSE = [
  [/_deliverResponse/, '`_deliverResponse` is private'],
  [/liveguard-memories\.jsonl/, 'the raw log is memory-captures.jsonl'],
  [/openBrainQueued|openbrain-queue\.jsonl.*not.*(exist|written)|unconfigured/i, 'the queue fills without a store'],
  [/invalid source|bad source/i, 'an invalid source is stored as that of the author'],
  [/ERR_INVALID_SINCE|unknown revision|bad revision/i, 'an unknown revision is an error'],
  [/\bdedup\w*.*(last 50|window)/i, 'duplicates are found in the whole history'],
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

/** Sorts the tests into classes; `isMeasured` tells whether a file tests replaced modules. */
export function classify(own, replaced, isMeasured) {
  const classes = { passes: [], onPurpose: [], fails: [], failsWithItsOwnModules: [], skipped: [], unrelated: 0 }
  for (const [name, { file, status }] of testsOf(own)) {
    const after = testsOf(replaced).get(name) ?? { status: 'missing', failure: 'the file could not be loaded' }
    const reason = ON_PURPOSE.find(([sign]) => sign.test(`${name}\n${after.failure}`))?.[1]
    if (!isMeasured(file) && after.status === status) classes.unrelated += 1
    else if (status !== 'passed') classes[status === 'failed' ? 'failsWithItsOwnModules' : 'skipped'].push(name)
    else if (after.status === 'passed') classes.passes.push(name)
    else if (reason !== undefined) classes.onPurpose.push(`${name} (${reason})`)
    else classes.fails.push(`${name}\n    ${after.failure.split('\n')[0]}`)
  }
  return classes
}
