import { spawn, spawnSync } from 'node:child_process'
import { until } from './waiting.mjs'

/** `script` gives a program a terminal; without it there is nothing to test with. */
export const hasTerminal = spawnSync('script', ['--version']).status === 0 && process.platform === 'linux'

/** Runs the command on a terminal, types, and returns what the screen shows. */
export function onTerminal(command, args, typed) {
  const line = lineOf([process.execPath, command.program, ...args])
  const options = { cwd: command.project, env: command.env({ COLUMNS: '200' }), input: typed, encoding: 'utf8' }
  const { status, stdout } = spawnSync('script', ['-qec', line, '/dev/null'], options)
  return { status, screen: stdout.replaceAll('\r\n', '\n') }
}

/** Runs the command on a terminal of its own, to type while it runs. */
export function openTerminal(command, args, env = {}) {
  const line = lineOf([process.execPath, command.program, ...args])
  const child = spawn('script', ['-qefc', line, '/dev/null'], {
    cwd: command.project,
    env: command.env({ COLUMNS: '80', TERM: 'xterm', ...env }),
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  let screen = ''
  child.stdout.on('data', (text) => (screen += text))
  const ended = new Promise((resolve) => child.on('close', (status) => resolve({ status, screen })))
  return {
    ended,
    type: (text) => child.stdin.write(text),
    close: () => child.kill('SIGKILL'),
    shows: (pattern) => until(() => pattern.test(screen)),
    screen: () => screen,
  }
}

/** The program takes the place of the shell: some shells answer Ctrl-C themselves, whatever the program did with it. */
function lineOf(words) {
  return `exec ${words.map((word) => `'${word}'`).join(' ')}`
}
