// Runs command lines of the built program in turn, in one process, because starting one takes longer than most commands.
// A line of the input names one: {"args": [...], "cwd"?, "env"?}; it has no input of its own. After the output of each, and after what it says
// on the error output, stands NUL, its exit status, NUL.
const { readSync, writeSync } = require('node:fs')
const { join, sep } = require('node:path')
const { Readable } = require('node:stream')

const folder = join(__dirname, '..', '..', 'dist', 'cli')
const program = join(folder, 'main.js')
const block = Buffer.alloc(1 << 16)
let [rest, isRunning] = [Buffer.alloc(0), false]

/** The next line of the input, which is waited for; nothing at its end. */
function nextLine() {
  for (;;) {
    const end = rest.indexOf(10)
    if (end >= 0) {
      const line = rest.subarray(0, end).toString()
      rest = rest.subarray(end + 1)
      return line
    }
    const length = readSync(0, block)
    if (length === 0) return undefined
    rest = Buffer.concat([rest, block.subarray(0, length)])
  }
}

/** Makes this process what a new one would be. */
function renew({ args, cwd, env }) {
  process.argv = [process.execPath, program, ...args]
  for (const name of process.eventNames()) {
    for (const listener of process.listeners(name)) if (listener !== goOn) process.off(name, listener)
  }
  for (const path of Object.keys(require.cache)) if (path.startsWith(`${folder}${sep}`)) delete require.cache[path]
  Object.defineProperty(process, 'stdin', { value: Readable.from([]), configurable: true })
  if (cwd !== undefined) process.chdir(cwd)
  if (env === undefined) return
  for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name]
  Object.assign(process.env, env)
}

// The program does not end its process: it has ended when nothing is left to do.
function goOn() {
  if (isRunning) for (const output of [1, 2]) writeSync(output, `\0${process.exitCode ?? 0}\0`)
  process.exitCode = undefined
  const line = nextLine()
  isRunning = line !== undefined
  // Only what waits keeps a process, so that it ends once more.
  if (isRunning) setImmediate(begin, JSON.parse(line))
}

function begin(command) {
  renew(command)
  require(program)
}

for (const stream of [process.stdout, process.stderr]) stream.setMaxListeners(0)
process.on('beforeExit', goOn)
