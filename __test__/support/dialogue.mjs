import { spawn } from 'node:child_process'
import { stripVTControlCharacters } from 'node:util'
import { until } from './waiting.mjs'

/** The bytes that a terminal sends for keys. */
export const KEY = { enter: '\r', space: ' ', down: '\u001b[B', escape: '\u001b', interrupt: '\u0003' }

/**
 * Runs a program on a terminal of its own, and types only what the program is ready for: each turn is a text to wait for on the
 * screen, and the keys to press then. Returns the exit code and all that was shown, without control sequences.
 */
export async function talk(words, turns, { cwd, env, columns = 100, rows = 40 }) {
  const quoted = words.map((word) => `'${word}'`).join(' ')
  const line = `stty cols ${columns} rows ${rows}; exec ${quoted}`
  // Without a COLUMNS in the environment the program asks the terminal.
  const child = spawn('script', ['-qec', line, '/dev/null'], {
    cwd,
    env,
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  let raw = ''
  let seen = 0
  child.stdout.setEncoding('utf8').on('data', (text) => {
    raw += text
  })
  const ended = new Promise((resolve) => child.once('close', resolve))
  const screen = () => stripVTControlCharacters(raw).replaceAll('\r\n', '\n')
  const isThere = (expected) => {
    const at = screen().indexOf(expected, seen)
    if (at >= 0) seen = at + expected.length
    return at >= 0
  }
  try {
    for (const [expected, keys] of turns) {
      await until(
        () => isThere(expected),
        () => `"${expected}" on the screen:\n${screen()}`,
      )
      child.stdin.write(keys)
    }
    return { status: await ended, screen: screen(), raw }
  } finally {
    child.kill()
  }
}
