#!/usr/bin/env node
// Runs the measures and shows what they found. See README.md.
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Bench, missingParts } from './harness/bench.mjs'
import { parseCommand, USAGE } from './harness/command.mjs'
import { describeMachine } from './harness/machine.mjs'
import { plainTable, resultsPage } from './harness/table.mjs'

const MEASURES = {
  Q1: 'Q1-duplicates',
  Q2: 'Q2-ranking',
  Q3: 'Q3-safety',
  P1: 'P1-capture',
  P2: 'P2-recall',
  P3: 'P3-command',
  P4: 'P4-index',
  P5: 'P5-report',
  P6: 'P6-drain',
  P7: 'P7-upkeep',
  P8: 'P8-memory',
  P9: 'P9-lattice-index',
  P10: 'P10-lattice-again',
  P11: 'P11-lattice-ask',
  P12: 'P12-hub',
  P13: 'P13-load',
  P14: 'P14-vectors',
  P15: 'P15-drift',
  P16: 'P16-postgres',
  P17: 'P17-first-call',
  agents: 'agents',
  hooks: 'hooks',
  states: 'states',
  dashboard: 'dashboard',
  embed: 'embed',
  peers: 'peers',
  backfill: 'backfill',
  ralph: 'ralph',
}
const RESULTS = fileURLToPath(new URL('results.md', import.meta.url))

function readCommand() {
  try {
    const options = parseCommand(process.argv.slice(2))
    const unknown = options.only?.filter((name) => !MEASURES[name])
    if (unknown?.length > 0) throw new Error(`no such measure: ${unknown.join(', ')}`)
    return options
  } catch (problem) {
    fail(`${problem.message}\n\n${USAGE}`, 2)
  }
}

function fail(message, status) {
  process.stderr.write(`error: ${message}\n`)
  process.exit(status)
}

async function measureAll(bench, names) {
  const rows = []
  for (const name of names) {
    process.stderr.write(`${name}\n`)
    const { measure } = await import(`./measures/${MEASURES[name]}.mjs`)
    try {
      rows.push(...(await measure(bench)))
    } catch (problem) {
      // One broken measure must not cost the others their results; the exit status tells.
      process.exitCode = 1
      process.stderr.write(`${problem.stack}\n`)
      bench.skip(name, `failed: ${problem.message.split('\n')[0]}`)
    }
  }
  return rows
}

const options = readCommand()
if (options.help) {
  process.stdout.write(USAGE)
  process.exit(0)
}
if (missingParts().includes('addon')) fail('the addon is not built; run: npm run build', 1)

const bench = new Bench(options)
const rows = await measureAll(bench, options.only ?? Object.keys(MEASURES))
const machine = describeMachine(process.argv.slice(2))
const { skipped } = bench
if (!options.only || options.save) writeFileSync(RESULTS, resultsPage({ machine, rows, skipped }))
process.stdout.write(
  options.json ? `${JSON.stringify({ machine, rows, skipped }, null, 2)}\n` : `${plainTable(rows)}\n`,
)
for (const line of skipped) process.stderr.write(`not measured: ${line}\n`)
