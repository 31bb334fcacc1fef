// Many commands of the built program in one process that is started for them.
import { spawn, spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const program = fileURLToPath(new URL('./child.cjs', import.meta.url))
const OUTCOME = /([^\0]*)\0(\d+)\0/g

const lineOf = (command) => `${JSON.stringify(command)}\n`

/** What was printed by one command after the other, and how they ended. */
const outcomesOf = (text) => [...text.matchAll(OUTCOME)].map(([, text, status]) => ({ text, status: Number(status) }))

/** Runs commands, each of which must succeed, and returns what they print. */
export function printedBy(commands, env) {
  const options = { encoding: 'utf8', input: commands.map(lineOf).join(''), env, maxBuffer: 1 << 28 }
  const { stdout, stderr } = spawnSync(process.execPath, [program], options)
  const printed = outcomesOf(stdout)
  const failed = commands.find((_, at) => printed[at]?.status !== 0)
  if (failed !== undefined) throw new Error(`forge-memory ${failed.args.join(' ')} failed: ${stderr}`)
  return printed.map(({ text }) => text)
}

/** Starts the process. `run` waits for the end of one command; one that takes too long is ended together with the process. */
export function startProcess({ timeoutMs = 120_000 } = {}) {
  const child = spawn(process.execPath, [program])
  const printed = { stdout: '', stderr: '' }
  let [hears, ended] = [() => {}, undefined]
  for (const name of ['stdout', 'stderr']) {
    child[name].setEncoding('utf8').on('data', (text) => {
      printed[name] += text
      hears()
    })
  }
  child.stdin.on('error', () => {})
  child.on('close', (status, signal) => {
    ended = { status, signal }
    hears()
  })
  const run = (command) =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(() => child.kill('SIGKILL'), timeoutMs)
      hears = () => {
        const [stdout, stderr] = [printed.stdout, printed.stderr].map((text) => outcomesOf(text)[0])
        if (ended === undefined && (stdout === undefined || stderr === undefined)) return
        clearTimeout(timer)
        const said = { stdout: stdout?.text ?? printed.stdout, stderr: stderr?.text ?? printed.stderr }
        printed.stdout = printed.stderr = ''
        if (ended === undefined) resolve({ status: stdout.status, ...said })
        else reject(Object.assign(new Error(`${command.args.join(' ')} ended the process`), { ...ended, ...said }))
      }
      child.stdin.write(lineOf(command))
      if (ended !== undefined) hears()
    })
  const close = () => child.stdin.end()
  return { run, close }
}
