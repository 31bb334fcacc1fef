// Where hints and exports may be written to.
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import test from 'node:test'
import { exportMemory, syncMemories } from '../dist/index.js'
import { freshCommand, json } from './support/command.mjs'
import { isWindows } from './support/memory.mjs'

const read = (command, path) => readFileSync(join(command.project, path), 'utf8')

function write(command, path, text) {
  mkdirSync(dirname(join(command.project, path)), { recursive: true })
  writeFileSync(join(command.project, path), text)
}

function filled(t) {
  const command = freshCommand(t)
  command.run(['capture', '--type', 'lesson', 'Lock files are part of a change.'])
  return command
}

const WRITERS = {
  'sync-memories': (path, options) => syncMemories({ output: path, ...options }),
  export: (path, options) => exportMemory({ path, ...options }),
}

/** Files that configure something, or that git or the memory owns; the last ones even force does not open. */
const FOREIGN = [
  'package.json',
  'Cargo.toml',
  '.npmrc',
  '.env',
  'Makefile',
  'a.sh',
  '.vscode/tasks.json',
  '.husky/a.md',
]
const CLOSED = ['.git/hooks/post-checkout', '.git/a.md', '.forge/a.md', '.forge/memory-captures.jsonl', 'sub/.git/a.md']

for (const [name, call] of Object.entries(WRITERS)) {
  test(`${name} writes configuration files only when forced, and files of git and of the memory never`, (t) => {
    const command = filled(t)
    for (const path of [...FOREIGN, ...CLOSED]) mkdirSync(dirname(join(command.project, path)), { recursive: true })
    const log = read(command, '.forge/memory-captures.jsonl')
    const options = { projectDir: command.project }
    for (const path of [...FOREIGN, ...CLOSED]) {
      assert.throws(() => call(path, options), { code: 'INVALID_INPUT', message: /force|never written to/ }, path)
      const { status, stderr } = command.run([name, '--output', path])
      assert.deepEqual([status, /\(INVALID_INPUT\)/.test(stderr)], [2, true], path)
    }
    for (const path of CLOSED) assert.throws(() => call(path, { ...options, force: true }), { code: 'INVALID_INPUT' })
    assert.equal(json(command, [name, '--output', 'b.txt', '--force']) !== undefined, true)
    for (const path of FOREIGN) {
      assert.ok(!existsSync(join(command.project, path)), path)
      call(path, { ...options, force: true })
      assert.match(read(command, path), /Lock files/)
    }
    assert.equal(read(command, '.forge/memory-captures.jsonl'), log)
  })

  test(`${name} replaces its own file, and other files when forced`, (t) => {
    const command = filled(t)
    write(command, 'README.md', '# Ours\n')
    const { status, stderr } = command.run([name, '--output', 'README.md'])
    assert.deepEqual([status, /already exists.*--force/.test(stderr)], [2, true], stderr)
    const overwritten = name === 'export' ? command.run([name, '--output', 'README.md', '--overwrite']) : { status: 2 }
    assert.equal(overwritten.status, 2)
    assert.equal(read(command, 'README.md'), '# Ours\n')
    json(command, [name, '--output', 'notes.md'])
    command.run(['capture', '--type', 'lesson', 'Ports below 1024 need root.'])
    json(command, [name, '--output', 'notes.md', ...(name === 'export' ? ['--overwrite'] : [])])
    assert.match(read(command, 'notes.md'), /Ports below/)
    json(command, [name, '--output', 'README.md', '--force'])
    assert.match(read(command, 'README.md'), /Ports below/)
  })

  test(`${name} follows no link to where it would not write`, (t) => {
    if (isWindows) return
    const command = filled(t)
    mkdirSync(join(command.project, '.git/hooks'), { recursive: true })
    for (const [link, target] of [
      ['a.md', '.git/hooks/post-checkout'],
      ['b.md', 'package.json'],
      ['c.md', join(command.folder, 'outside.md')],
      ['docs', '.git/hooks'],
    ])
      symlinkSync(target, join(command.project, link))
    write(command, 'package.json', '{}')
    for (const path of ['a.md', 'b.md', 'c.md', 'docs/x.md']) {
      const { status, stderr } = command.run([name, '--output', path])
      assert.notEqual(status, 0, path)
      assert.doesNotMatch(stderr, /INTERNAL/)
    }
    assert.equal(read(command, 'package.json'), '{}')
    for (const path of ['.git/hooks/post-checkout', '.git/hooks/x.md', '../outside.md'])
      assert.ok(!existsSync(join(command.project, path)), path)
  })
}

test('the extension of an export selects its format, and a replaced export is named', (t) => {
  const command = filled(t)
  json(command, ['export', '--output', 'page.md'])
  assert.match(read(command, 'page.md'), /^<!-- .*\n[\s\S]*- Lock files/)
  exportMemory({ path: 'lines.jsonl', projectDir: command.project })
  assert.match(read(command, 'lines.jsonl'), /^\{"_export"/)
  json(command, ['export', '--output', 'other.md', '--format', 'jsonl'])
  assert.match(read(command, 'other.md'), /^\{"_export"/)
  const { status, stderr } = command.run(['export', '--output', 'page.md'])
  assert.deepEqual([status, /--overwrite/.test(stderr)], [2, true])
})

test('hints and exports contain no secrets, whatever their origin and the settings of the project', (t) => {
  const command = freshCommand(t)
  const token = `ghp_${'0123456789abcdefghijklmnopqrstuvwxyzAB'}`
  const record = { _v: 1, id: 'mem_1', type: 'lesson', content: `The key is ${token}, as ever.` }
  write(command, '.forge/memory-captures.jsonl', `${JSON.stringify(record)}\n`)
  write(command, '.forge.json', '{"redact": false}')
  for (const args of [['sync-memories'], ['export', '--output', 'a.md'], ['export', '--output', 'a.jsonl']])
    json(command, args)
  for (const path of ['.github/copilot-memory-hints.md', 'a.md', 'a.jsonl']) {
    assert.match(read(command, path), /as ever/)
    assert.ok(!read(command, path).includes(token), path)
  }
})

test('an incomplete block is reported, and the block of another command is not part of the hints', (t) => {
  const command = filled(t)
  const path = '.github/copilot-memory-hints.md'
  json(command, ['sync-memories'])
  const whole = read(command, path)
  const half = whole.replace('<!-- forge-memory: end -->', '').concat('\nMine.\n')
  const others = '<!-- forge-memory: begin (written by `forge-memory init`) -->\nx\n<!-- forge-memory: end -->\n'
  for (const text of [half, half + others]) {
    write(command, path, text)
    const { status, stderr } = command.run(['sync-memories'])
    assert.deepEqual([status, /no end line.*\(CORRUPT\)/.test(stderr)], [1, true], stderr)
    assert.equal(read(command, path), text)
  }
  write(command, path, others)
  json(command, ['sync-memories'])
  assert.ok(read(command, path).startsWith(others.trimEnd()))
  assert.match(read(command, path), /Lock files/)
})

test('a command in a folder of the project writes and reads files there', (t) => {
  const command = filled(t)
  const cwd = join(command.project, 'docs')
  mkdirSync(cwd)
  for (const [name, output] of [
    ['export', 'out.md'],
    ['sync-memories', 'hints.md'],
  ]) {
    const { status, stderr } = command.run([name, '--output', output], { cwd })
    assert.deepEqual([status, existsSync(join(cwd, output))], [0, true], stderr)
  }
  assert.match(command.run(['import', 'out.md'], { cwd }).stdout, /1 read, 0 new, 1 duplicates/)
  assert.equal(command.run(['export', '--output', '../top.md'], { cwd }).status, 0)
  assert.equal(existsSync(join(command.project, 'top.md')), true)
  const { status } = command.run(['export', '--output', '../../else.md'], { cwd })
  assert.deepEqual([status, existsSync(join(command.folder, 'else.md'))], [2, false])
  // From elsewhere, the path is one of the project.
  command.run(['export', '--project', command.project, '--output', 'far.md'], { cwd: command.folder })
  assert.equal(existsSync(join(command.project, 'far.md')), true)
})
