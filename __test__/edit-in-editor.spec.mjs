import assert from 'node:assert/strict'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { freshCommand, json } from './support/command.mjs'
import { hasTerminal, onTerminal, openTerminal } from './support/terminal.mjs'

/** A command with a memory, and an editor: a script for `sh` that finds the file in `$1`, and what it does beside it. */
function editing(t, script) {
  assert.ok(hasTerminal || process.platform !== 'linux', 'the program `script` is missing')
  const command = freshCommand(t)
  const { id } = json(command, ['capture', '--type', 'lesson', '--tag', 'gate', 'The gate takes 8 s'])
  const editor = join(command.folder, 'my editor')
  const temporary = join(command.folder, 'tmp')
  mkdirSync(temporary)
  writeFileSync(editor, `#!/bin/sh\ncp "$1" '${command.folder}/opened.md'\n${script}\n`)
  chmodSync(editor, 0o755)
  const edit = (args = [id], env = {}) => {
    const more = { VISUAL: '', EDITOR: `'${editor}'`, TMPDIR: temporary, ...env }
    return onTerminal({ ...command, env: (extra) => command.env({ ...extra, ...more }) }, ['edit', ...args], '')
  }
  const opened = () => readFileSync(join(command.folder, 'opened.md'), 'utf8')
  const entries = () => json(command, ['list']).entries
  const keptIn = (screen) => /the\s+draft\s+is\s+kept\s+in\s+(\S+\.md)/.exec(screen)?.[1]
  return { command, id, edit, opened, entries, keptIn, temporary, editor }
}

const put = (text) => `printf '%s' '${text.replaceAll("'", "'\\''")}' > "$1"`

test('an editor opens a memory as Markdown, and what is saved becomes a revision', (t) => {
  const { id, edit, opened, entries } = editing(t, `sed -i 's/8 s/12 s/; s/^confidence: .*/confidence: 0.9/' "$1"`)
  const { status, screen } = edit()
  assert.equal(status, 0, screen)
  assert.match(screen, new RegExp(`^Stored revision [0-9a-f]{8}, which replaces ${id.slice(-8)}`))
  const draft = opened()
  assert.match(
    draft,
    /^---\n# .+\ntype: lesson\ntags: \[gate\]\nconfidence: 0\.8\nexpires: (null|\S+Z)\n---\nThe gate takes 8 s\n$/,
  )
  const [entry, ...others] = entries()
  assert.deepEqual(others, [])
  assert.deepEqual(
    [entry.text, entry.confidence, entry.tags, entry.type],
    ['The gate takes 12 s', 0.9, ['gate'], 'lesson'],
  )
})

test('every field of the front matter can be changed', (t) => {
  const draft =
    '---\ntype: gotcha\ntags: [ci, slow gate]\nconfidence: 0.5\nexpires: 2999-01-01\n---\n\nFirst line\n\nlast line\n\n'
  const { edit, entries } = editing(t, put(draft))
  assert.equal(edit().status, 0)
  const [{ type, tags, confidence, expiresAt, text }] = entries()
  assert.deepEqual(
    { type, tags, confidence, expiresAt, text },
    {
      type: 'gotcha',
      tags: ['ci', 'slow gate'],
      confidence: 0.5,
      expiresAt: '2999-01-01T00:00:00.000Z',
      text: 'First line\n\nlast line',
    },
  )
})

test('without a change nothing is stored, and no draft is left', (t) => {
  const { edit, entries, id, temporary, command } = editing(t, 'true')
  const { status, screen } = edit()
  assert.deepEqual([status, screen], [0, 'Nothing was changed.\n'])
  assert.deepEqual(
    entries().map((entry) => entry.id),
    [id],
  )
  assert.equal(json(command, ['show', id]).revisions.length, 1)
  assert.deepEqual(readdirSync(temporary), [])
})

for (const [what, script, reason] of [
  ['an editor that fails', 'exit 3', /the editor ".*" failed: exit code 3/],
  ['a front matter without an end', put('---\ntype: lesson\n'), /front matter of the draft cannot be read/],
  ['a front matter that is not YAML', put('---\ntype: [\n---\nx\n'), /front matter of the draft cannot be read/],
  ['an unknown field', put('---\nkind: lesson\n---\nx\n'), /unknown field kind: expected type, tags/],
  ['a confidence that is not a number', put('---\nconfidence: high\n---\nx\n'), /confidence: expected a number/],
  ['a confidence that the engine refuses', put('---\nconfidence: 7\n---\nx\n'), /confidence/],
  ['a type that is a list', put('---\ntype: [a]\n---\nx\n'), /type: expected a text/],
  ['an empty text', put('---\ntype: lesson\n---\n\n'), /body/],
  ['an alias bomb', put('---\ntags: &a [x, *a, *a]\n---\nx\n'), /./],
]) {
  test(`${what} stores nothing, and the draft is kept`, (t) => {
    const { edit, entries, id, keptIn } = editing(t, script)
    const { status, screen } = edit()
    assert.ok(status === 1 || status === 2, screen)
    assert.match(screen, reason)
    const draft = keptIn(screen)
    assert.ok(draft !== undefined && existsSync(draft), screen)
    assert.deepEqual(
      entries().map((entry) => entry.id),
      [id],
    )
  })
}

test('an editor may have arguments, and VISUAL comes before EDITOR', (t) => {
  const { edit, editor, entries, id } = editing(t, '')
  const script = `${editor} with arguments`
  writeFileSync(script, '#!/bin/sh\n[ "$1" = --wait ] || exit 9\nsed -i "s/8 s/9 s/" "$2"\n')
  chmodSync(script, 0o755)
  const { status, screen } = edit([id], { VISUAL: `'${script}' --wait`, EDITOR: 'false' })
  assert.equal(status, 0, screen)
  assert.equal(entries()[0].text, 'The gate takes 9 s')
})

test('an editor that does not exist is named, with what to set', (t) => {
  const { edit, keptIn } = editing(t, '')
  const { status, screen } = edit(undefined, { EDITOR: 'no-such-editor' })
  assert.equal(status, 1)
  assert.match(screen, /no-such-editor/)
  assert.match(screen, /set VISUAL or EDITOR/)
  assert.ok(existsSync(keptIn(screen)))
})

test('without a terminal, edit without a change is wrong usage and opens nothing', (t) => {
  const command = freshCommand(t, { EDITOR: 'false' })
  const { id } = json(command, ['capture', '--type', 'lesson', 'something'])
  const { status, stderr } = command.run(['edit', id])
  assert.equal(status, 2)
  assert.match(stderr, /^error: expected at least one change \(INVALID_INPUT\)\nhint: /)
})

test('Ctrl-C in an editor ends the editor, and the draft is kept', async (t) => {
  if (process.platform !== 'linux') return
  const { command, id, editor, temporary, keptIn, entries } = editing(t, 'echo ready; exec sleep 600')
  const terminal = openTerminal(command, ['edit', id], { VISUAL: '', EDITOR: `'${editor}'`, TMPDIR: temporary })
  await terminal.shows(/ready/)
  terminal.type('\u0003')
  const { status, screen } = await terminal.ended
  assert.equal(status, 1, screen)
  assert.ok(existsSync(keptIn(screen)), screen)
  assert.equal(entries().length, 1)
})
