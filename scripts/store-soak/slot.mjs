// Keeps a process of one kind alive: the next one follows when it is killed, or when it ends.
import { spawn } from 'node:child_process'

export class Slot {
  #child
  #isStopped = false
  #count = 0
  #output = { stdout: '' }
  #ended
  /** Lines of standard output that a process completed. */
  lines = []
  /** What processes said before an end of their own with an exit code that is not allowed. */
  failures = []

  /** `argumentsOf` makes the arguments of the next process from its number. */
  constructor({ name, argumentsOf, environment, allows = [] }) {
    this.name = name
    this.argumentsOf = argumentsOf
    this.environment = environment
    this.allows = allows
    this.#start()
  }

  /** How many processes there were. */
  get count() {
    return this.#count
  }

  /** The lines that the process of now has completed. */
  current = () => this.#output.stdout.split('\n').slice(0, -1)

  #start() {
    const child = spawn(process.execPath, this.argumentsOf(this.#count++), {
      env: this.environment,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    this.#child = child
    const output = { stdout: '', stderr: '' }
    this.#output = output
    for (const name of ['stdout', 'stderr']) child[name].on('data', (text) => (output[name] += text))
    this.#ended = new Promise((resolve) => child.once('close', resolve)).then((code) => {
      this.lines.push(...output.stdout.split('\n').slice(0, -1))
      const isExpected = code === null || this.allows.includes(code)
      if (!isExpected) this.failures.push(`${this.name} ended with ${code}: ${output.stderr || output.stdout}`)
      if (!this.#isStopped) this.#start()
    })
  }

  kill() {
    this.#child.kill('SIGKILL')
  }

  async stop() {
    this.#isStopped = true
    this.kill()
    await this.#ended
  }
}
