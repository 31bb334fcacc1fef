import { spawnSync } from 'node:child_process'

/** Runs npm and fails with what it said. npm that started the tests is used again: on Windows `npm` cannot be spawned. */
export function npm(args, cwd) {
  const script = process.env.npm_execpath?.endsWith('.js') ? process.env.npm_execpath : undefined
  const [command, before] = script ? [process.execPath, [script]] : ['npm', []]
  const { status, stdout, stderr, error } = spawnSync(command, [...before, ...args], {
    cwd,
    encoding: 'utf8',
    shell: script === undefined && process.platform === 'win32',
  })
  if (status !== 0) throw new Error(`npm ${args.join(' ')} failed: ${error?.message ?? stderr}`)
  return stdout
}
