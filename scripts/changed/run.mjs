// Runs specifications in their order for about a minute: each in a process of its own, so that what fits is known while they run.
import { spawn } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { shortName } from './table.mjs'

const SECONDS_MAX = 60

/**
 * Starts each specification that is expected to end within the time, by the seconds of the table and the pace of this machine so far. A changed one is
 * always started. Says how each ended, and which were left.
 */
export async function runSpecs(root, wanted, { env, secondsMax = SECONDS_MAX, say = console.log }) {
  const started = Date.now()
  const since = (moment) => (Date.now() - moment) / 1000
  const waiting = [...wanted]
  const ended = { count: 0, expected: 0, taken: 0, failed: [] }
  const fits = ({ seconds, isChanged }) => {
    const pace = ended.count === 0 ? 1 : ended.taken / ended.expected
    return isChanged || since(started) + seconds * pace <= secondsMax
  }
  const next = () => {
    const at = waiting.findIndex(fits)
    return at < 0 ? undefined : waiting.splice(at, 1)[0]
  }
  const worker = async () => {
    for (let spec = next(); spec !== undefined; spec = next()) {
      const begun = Date.now()
      const { status, text } = await run(root, spec.name, env)
      const taken = since(begun)
      ended.count += 1
      ended.expected += spec.seconds
      ended.taken += taken
      if (status !== 0) ended.failed.push(spec)
      say(
        status === 0
          ? `passed: ${shortName(spec.name)}  ${taken.toFixed(1)} s`
          : `${text}\nFAILED: ${shortName(spec.name)}`,
      )
    }
  }
  // Much of what a specification does is waiting for processes that it has started.
  await Promise.all(Array.from({ length: 2 * availableParallelism() }, worker))
  if (waiting.length > 0) {
    say(
      `\nnot run, beyond ${secondsMax} s: ${waiting.map(({ name }) => shortName(name)).join(', ')}; npm test runs all`,
    )
  }
  if (ended.failed.length > 0) say(`\nFAILED: ${ended.failed.map(({ name }) => name).join(' ')}`)
  return { name: 'node', failed: ended.failed.length > 0, seconds: Math.round(since(started)), left: waiting }
}

async function run(root, name, env) {
  const options = { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] }
  const child = spawn(process.execPath, ['--test', '--test-reporter=spec', join(root, name)], options)
  let text = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (more) => (text += more))
  const status = await new Promise((done) => child.once('error', done).once('close', done))
  return { status, text }
}
