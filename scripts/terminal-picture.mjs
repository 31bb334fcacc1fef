// Takes the moving picture at the top of the README: real commands in a project of their own.
//   node scripts/terminal-picture.mjs
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { renderTerminal } from './screenshots/terminal.mjs'
import { launch } from './setup/launch.mjs'

const COLUMNS = 84

const COMMANDS = [
  ['capture', '--type', 'gotcha', '--tag', 'jest', 'Jest needs --runInBand on Windows, or the gate times out'],
  ['capture', '--type', 'decision', 'Invoices are rounded per line: the tax office checks lines'],
  ['capture', '--type', 'gotcha', 'Jest needs --runInBand on Windows, or the gate times out!'],
  ['capture', '--type', 'gotcha', 'Jest needs --runInBand on macOS, or the gate times out'],
  ['recall', 'why', 'does', 'jest', 'time', 'out'],
]

const quoted = (word) => (/\s/.test(word) ? `"${word}"` : word)

launch(async ({ prepare, root }) => {
  await prepare()
  const folder = mkdtempSync(join(tmpdir(), 'forge-memory-'))
  const project = join(folder, 'shop')
  mkdirSync(project)
  const env = { ...process.env, FORGE_HOME: join(folder, 'home'), FORCE_COLOR: '1', COLUMNS: String(COLUMNS) }
  const steps = COMMANDS.map((args) => {
    const program = join(root, 'dist', 'cli', 'main.js')
    const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], {
      cwd: project,
      env,
      encoding: 'utf8',
    })
    if (status !== 0) throw new Error(`forge-memory ${args[0]} failed: ${stderr}`)
    return { typed: ['forge-memory', ...args.map(quoted)].join(' '), printed: stdout }
  })
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
  writeFileSync(join(root, 'docs', 'images', 'terminal.svg'), renderTerminal(steps, { columns: COLUMNS + 22 }))
  console.log('docs/images/terminal.svg')
  return 0
})
