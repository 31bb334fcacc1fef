// A host in a terminal, as a person has it: it draws its screen, is told what terminals are asked, and is left with Ctrl-C once it has said its last words.
import { spawn } from 'node:child_process'

const LAST_WORDS = /canary-mark/
const CTRL_C = '\x03'
/** The time between two Ctrl-C: hooks of the end of a turn run before the first one. */
const LEAVING_MS = 2000
/** What hosts ask a terminal, and what one answers: where the cursor is, and which one it is. */
const ANSWERS = { '\x1b[6n': '\x1b[1;1R', '\x1b[c': '\x1b[?62;22c' }

/** Runs a command line in a terminal of its own; returns what it has drawn. */
export function inTerminal(words, { cwd, env, timeout }) {
  const line = `stty rows 50 cols 200; exec ${words.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ')}`
  const child = spawn('script', ['-qefc', line, '/dev/null'], {
    cwd,
    env: { ...env, TERM: 'xterm-256color', SHELL: '/bin/sh' },
    stdio: ['pipe', 'pipe', 'inherit'],
    timeout,
    killSignal: 'SIGKILL',
  })
  let screen = ''
  let leaving
  child.stdin.on('error', () => undefined)
  child.stdout.setEncoding('utf8').on('data', (drawn) => {
    screen += drawn
    for (const [question, answer] of Object.entries(ANSWERS)) if (drawn.includes(question)) child.stdin.write(answer)
    if (LAST_WORDS.test(screen)) leaving ??= setInterval(() => child.stdin.write(CTRL_C), LEAVING_MS)
  })
  return new Promise((end, fail) => {
    child.on('error', fail).on('close', (status) => {
      clearInterval(leaving)
      end(`${screen}\nexit ${status}`)
    })
  })
}
