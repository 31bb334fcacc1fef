// docs/reference/files.md names every file and folder that is written below .forge and ~/.forge.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { freshCommand, json } from './support/command.mjs'
import { root } from './support/project.mjs'
import { startServe } from './support/served.mjs'

/** Uses every part of the product that writes something. */
async function useEverything(t, command) {
  const { project, run } = command
  execFileSync('git', ['init', '-q'], { cwd: project })
  mkdirSync(join(project, 'src'))
  writeFileSync(join(project, 'src', 'a.js'), 'export function first() { return second() }\nfunction second() {}\n')
  for (const type of ['lesson', 'gotcha', 'decision', 'pattern', 'convention']) {
    json(command, ['capture', '--type', type, `Something about a ${type} in src/a.js that was learned`])
  }
  const forgotten = json(command, ['capture', '--type', 'lesson', 'Something that nobody needs any more'])
  for (const scope of ['project', 'global']) {
    json(command, ['save', '--category', 'convention', '--scope', scope, `A pattern for the ${scope}`])
  }
  const steps = [
    ['drain'],
    ['search', 'learned'],
    ['recall', 'learned'],
    ['forget', forgotten.id, '--yes'],
    ['edit', json(command, ['list']).entries[0].id, 'Something else that was learned'],
    ['drain'],
    ['lattice', 'index'],
    ['history', 'index'],
    ['backfill', '--dry-run'],
    ['import-memories', '--dry-run'],
    ['init', '--agent', 'claude', '--yes'],
    ['export', '--output', 'memory.jsonl'],
    ['import', 'memory.jsonl'],
    ['compact', '--yes'],
    ['verify'],
    ['doctor', '--fix', '--yes'],
    ['report'],
  ]
  for (const args of steps) run(args)
  const session = { session_id: 'a-session', cwd: project }
  const edit = { tool_name: 'Edit', tool_input: { file_path: join(project, 'src', 'a.js') } }
  for (const [event, more] of [
    ['SessionStart', { source: 'startup' }],
    ['PreToolUse', edit],
    ['PostToolUse', { ...edit, tool_response: 'done' }],
  ]) {
    run(['hook', event], { input: JSON.stringify({ ...session, hook_event_name: event, ...more }) })
  }
  await startServe(t, ['--no-drain'], command)
}

/** The documented names, as patterns: TIME stands for a time. */
function documented(folder) {
  const text = readFileSync(join(root, 'docs', 'reference', 'files.md'), 'utf8')
  const cells = text.split('\n').flatMap((line) => (line.startsWith('| `') ? [line.split('|')[1]] : []))
  const names = cells.flatMap((cell) => Array.from(cell.matchAll(/`([^`]+)`/g), ([, name]) => name))
  const own = names.filter((name) => name.startsWith(folder)).map((name) => name.slice(folder.length))
  return own.map((name) => new RegExp(`^${name.replaceAll('.', '\\.').replace('TIME', '[-\\dTZ]+')}$`))
}

function undocumented(path, folder) {
  const known = documented(folder)
  const entries = readdirSync(path, { withFileTypes: true })
  const names = entries.map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name))
  assert.ok(names.length > 5, names.join())
  return names.filter((name) => !known.some((pattern) => pattern.test(name)))
}

test('every file that is written is in the list of files', async (t) => {
  const command = freshCommand(t)
  await useEverything(t, command)
  assert.deepEqual(undocumented(join(command.project, '.forge'), '.forge/'), [])
  assert.deepEqual(undocumented(command.home, '~/.forge/'), [])
})
