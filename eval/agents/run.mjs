// npm run eval:agents -- --agent NAME: does the memory help an agent? See README.md.
import { parseArgs } from 'node:util'
import { describeMachine } from '../../bench/harness/machine.mjs'
import { showProgress } from '../progress.mjs'
import { AGENTS, playRound } from './round.mjs'
import { readResults, tableOf, writeResults } from './table.mjs'

const USAGE = `usage: npm run eval:agents -- [options]

  --agent NAME      ${AGENTS.join(', ')}: it is started by its name, with the account and the model that it has here (default claude)
  --command LINE    runs this instead, with the prompt as one more argument, in a project set up for --agent
  --rounds N        so many rounds with the memory, and as many without (default 3)
  --minutes N       a session that takes longer is ended, and counted as a hang (default 15)
  --json            one document for programs
  --write-docs      puts the figures into eval/agents/results.json and docs/agents.md
`

const { values: options } = parseArgs({
  options: {
    agent: { type: 'string', default: 'claude' },
    command: { type: 'string' },
    rounds: { type: 'string', default: '3' },
    minutes: { type: 'string', default: '15' },
    json: { type: 'boolean', default: false },
    'write-docs': { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})
const [rounds, minutes] = [Number(options.rounds), Number(options.minutes)]
const isUsable = AGENTS.includes(options.agent) && Number.isInteger(rounds) && rounds > 0 && minutes > 0
if (options.help || !isUsable) {
  process.stderr.write(USAGE)
  process.exitCode = options.help ? 0 : 2
} else {
  await measure().catch(({ message }) => {
    process.stderr.write(`error: ${message}\n`)
    process.exitCode = 1
  })
}

async function measure() {
  const { agent, command } = options
  const { date, system } = describeMachine([])
  const result = { date, system, with: [], without: [] }
  for (let round = 0; round < rounds; round++) {
    for (const memory of ['with', 'without']) {
      result[memory].push(await playRound({ agent, command, minutes, withMemory: memory === 'with' }))
      showProgress(`${memory} the memory, rounds`, round + 1, rounds)
    }
  }
  const results = { [command === undefined ? agent : 'command']: result }
  if (options['write-docs']) writeResults({ ...readResults(), ...results })
  process.stdout.write(options.json ? `${JSON.stringify(results, null, 2)}\n` : `${tableOf(results)}\n`)
}
