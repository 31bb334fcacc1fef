// Every number comes from a fresh child process: nothing that one measure loaded can help or hinder the next.
import { spawnSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const CHILDREN = fileURLToPath(new URL('../children/', import.meta.url))
const OUTPUT_BYTES_MAX = 64 << 20

export class Children {
  #environment

  constructor(workDir) {
    // The user's own memory is neither read nor written.
    const home = join(workDir, 'home')
    mkdirSync(home, { recursive: true })
    this.#environment = { ...process.env, FORGE_HOME: home, NO_COLOR: '1' }
  }

  get environment() {
    return this.#environment
  }

  /** The command line that runs `children/<name>.mjs` with one JSON argument. */
  command(name, input) {
    return [process.execPath, ['--expose-gc', join(CHILDREN, `${name}.mjs`), JSON.stringify(input)]]
  }

  /** Runs `children/<name>.mjs` and returns the JSON that it prints. */
  run(name, input, { oneCore = false } = {}) {
    const [program, args] = this.command(name, input)
    if (oneCore && hasTaskset()) return this.json('taskset', ['-c', '0', program, ...args])
    return this.json(program, args)
  }

  /** Runs a program and returns the JSON that it prints. */
  json(program, args) {
    const result = spawnSync(program, args, {
      encoding: 'utf8',
      env: this.#environment,
      maxBuffer: OUTPUT_BYTES_MAX,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    if (result.error) throw new Error(`cannot start ${program}`, { cause: result.error })
    if (result.status !== 0) {
      // Names only, no paths: the first line may end up in the published results.
      const name = basename(args.find((argument) => argument.endsWith('.mjs')) ?? program)
      throw new Error(`${name} ended with ${result.status ?? result.signal}\n${result.stderr}`)
    }
    return JSON.parse(result.stdout)
  }

  /** Runs a program for its duration, in milliseconds; its output is thrown away. */
  milliseconds(program, args) {
    const start = process.hrtime.bigint()
    const { status } = spawnSync(program, args, { env: this.#environment, stdio: 'ignore' })
    const elapsed = Number(process.hrtime.bigint() - start) / 1e6
    if (status !== 0) throw new Error(`${program} ${args.join(' ')} ended with status ${status}`)
    return elapsed
  }
}

let taskset

export function hasTaskset() {
  taskset ??= process.platform === 'linux' && spawnSync('taskset', ['-c', '0', 'true']).status === 0
  return taskset
}
