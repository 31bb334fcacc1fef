import { spawnSync } from 'node:child_process'

/** `script` gives a program a terminal; without it there is nothing to test with. */
export const hasTerminal = spawnSync('script', ['--version']).status === 0 && process.platform === 'linux'

/** Runs the command on a terminal, types, and returns what the screen shows. */
export function onTerminal(command, args, typed) {
  const line = [process.execPath, command.program, ...args].map((word) => `'${word}'`).join(' ')
  const options = { cwd: command.project, env: command.env({ COLUMNS: '200' }), input: typed, encoding: 'utf8' }
  const { status, stdout } = spawnSync('script', ['-qec', line, '/dev/null'], options)
  return { status, screen: stdout.replaceAll('\r\n', '\n') }
}
