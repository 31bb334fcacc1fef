// A host in a terminal, as a person has it: it draws its screen, is told what terminals are asked, gets the prompts, and is left with Ctrl-C once it has
// said its last words.
import { spawn } from 'node:child_process'

const CTRL_C = '\x03'
const ENTER = '\r'
/** Hooks of the end of a turn run before the first Ctrl-C, and the second one has to follow soon. */
const LEAVING_MS = 2000
const AGAIN_MS = 300
/** How long a host draws nothing once it waits for a prompt. */
const QUIET_MS = 3000
/** Hosts take an Enter that comes with the text for a part of it. */
const TYPING_MS = 800
/** What hosts ask a terminal, and what one answers: where the cursor is, and which one it is. */
const ANSWERS = { '\x1b[6n': '\x1b[1;1R', '\x1b[c': '\x1b[?62;22c' }

/** Runs a command line in a terminal of its own; returns what it has drawn. Each of the further prompts, `{ prompt, isDue }`, is typed when it is due. */
export function inTerminal(words, { cwd, env, timeout, prompts = [], isOver }) {
  const line = `stty rows 50 cols 200; exec ${words.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ')}`
  const child = spawn('script', ['-qefc', line, '/dev/null'], {
    cwd,
    env: { ...env, TERM: 'xterm-256color', SHELL: '/bin/sh' },
    stdio: ['pipe', 'pipe', 'inherit'],
    timeout,
    killSignal: 'SIGKILL',
  })
  const waiting = [...prompts]
  let screen = ''
  let quiet
  let leaving
  const type = (text) => child.stdin.write(text)
  const leave = () => {
    type(CTRL_C)
    setTimeout(() => type(CTRL_C), AGAIN_MS)
  }
  const go = () => {
    const next = waiting.shift()
    if (next === undefined) leaving ??= setInterval(leave, LEAVING_MS)
    else {
      type(asTyped(next.prompt))
      setTimeout(() => type(ENTER), TYPING_MS)
    }
  }
  child.stdin.on('error', () => undefined)
  child.stdout.setEncoding('utf8').on('data', (drawn) => {
    screen += drawn
    for (const [question, answer] of Object.entries(ANSWERS)) if (drawn.includes(question)) type(answer)
    clearTimeout(quiet)
    if (leaving === undefined && (waiting[0]?.isDue ?? isOver)()) quiet = setTimeout(go, QUIET_MS)
  })
  return new Promise((end, fail) => {
    child.on('error', fail).on('close', (status) => {
      clearTimeout(quiet)
      clearInterval(leaving)
      end(`${screen}\nexit ${status}`)
    })
  })
}

/** Returns what is drawn on a screen, without the signs that place and colour it. */
export function textOf(screen) {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what a terminal gets.
  return screen.replace(/\x1b\[\d*C/g, ' ').replace(/\x1b(?:\[[<>?]?[0-9;]*[A-Za-z]|\][^\x07]*\x07)/g, '')
}

/** A text of several lines is pasted. */
function asTyped(text) {
  return text.includes('\n') ? `\x1b[200~${text}\x1b[201~` : text
}
