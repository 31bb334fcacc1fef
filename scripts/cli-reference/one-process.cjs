// Runs several command lines of the built program in turn, in one process: a NUL stands after the output of each.
//   node scripts/cli-reference/one-process.cjs '[["capture", "--help"], ["recall", "--help"]]'
const { writeSync } = require('node:fs')
const { join } = require('node:path')

const program = join(__dirname, '..', '..', 'dist', 'cli', 'main.js')
const lines = JSON.parse(process.argv[2])

/** Loads the program anew, which reads what was typed from `process.argv`. */
function begin(words) {
  process.argv = [process.execPath, program, ...words]
  delete require.cache[program]
  require(program)
}

// The program does not end its process: it has ended when nothing is left to do.
process.on('beforeExit', () => {
  writeSync(1, '\0')
  if (process.exitCode) throw new Error(`forge-memory ${process.argv.slice(2).join(' ')} failed`)
  const next = lines.shift()
  // Only what waits keeps a process, so that it ends once more.
  if (next !== undefined) setImmediate(begin, next)
})
begin(lines.shift())
