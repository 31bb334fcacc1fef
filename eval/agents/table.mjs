// What was measured, `eval/agents/results.json`, and its place in docs/agents.md.
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { HOSTS } from '../hosts/hosts.mjs'
import { narrow, putBetween, wide } from '../page.mjs'
import { AGENTS } from './round.mjs'
import { RULES } from './task.mjs'

const RESULTS = fileURLToPath(new URL('results.json', import.meta.url))
const PAGE = fileURLToPath(new URL('../../docs/agents.md', import.meta.url))
const MARKS = ['<!-- figures: npm run eval:agents -- --write-docs -->', '<!-- end of figures -->']
const HEAD = [
  'agent',
  'memory',
  'rounds',
  'rules followed',
  'calls',
  'hangs',
  'tokens of notes',
  'rules stored',
  'measured',
]
const OWN = 'command'

export const readResults = () => JSON.parse(readFileSync(RESULTS, 'utf8'))

export function writeResults(results) {
  writeFileSync(RESULTS, `${JSON.stringify(results, null, 2)}\n`)
  writeFileSync(PAGE, withTable(readFileSync(PAGE, 'utf8'), results))
}

export const withTable = (page, results) => putBetween(page, MARKS, `${tableOf(results, narrow)}\n`)

/** A row for each agent with and without the memory, also for those that were not run. */
export function tableOf(results, layout = wide) {
  const names = results[OWN] === undefined ? AGENTS : [...AGENTS, OWN]
  const rows = names.flatMap((name) =>
    ['with', 'without'].map((memory) => [
      HOSTS[name]?.name ?? 'another command',
      memory,
      ...cells(results[name], memory),
    ]),
  )
  return layout(HEAD, rows).join('\n')
}

function cells(result, memory) {
  const rounds = result?.[memory]
  if (rounds === undefined) return ['not run', '-', '-', '-', '-', '-', '-']
  const sum = (name) => rounds.reduce((total, round) => total + round[name], 0)
  const mean = (name) => (sum(name) / rounds.length).toFixed(1).replace(/\.0$/, '')
  const all = rounds.length * RULES.length
  const stored = `${sum('stored')} of ${all}, in ${sum('records')} records`
  const followed = `${sum('followed')} of ${all}`
  return [
    rounds.length,
    followed,
    mean('calls'),
    sum('hangs'),
    mean('tokens'),
    stored,
    `${result.date}, ${result.system}`,
  ].map(String)
}
