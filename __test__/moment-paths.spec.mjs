// A note that names a file is told before an edit of that file, whatever its path is made of.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import test from 'node:test'
import { freshCommand, json, noteFor } from './support/command.mjs'

/** The note that is told before an edit. */
function toldAbout(command, path, session) {
  return noteFor(command, {
    session_id: session,
    hook_event_name: 'PreToolUse',
    tool_name: 'Edit',
    tool_input: { file_path: path, old_string: 'a', new_string: 'b' },
  })
}

const PATHS = [
  'app/[id]/page.tsx',
  'app/(auth)/login.tsx',
  'app/[...slug]/page.tsx',
  'app/[[...rest]]/route.ts',
  'app/@modal/(.)photo/[id]/page.tsx',
  'src/$lib/x.ts',
  'src/routes/blog/[slug]/+page.server.ts',
  'src/routes/[lang=locale]/+layout.svelte',
  'app/routes/users.$id.tsx',
  'app/routes/_index.tsx',
  'src/café.ts',
  'src/größe/index.ts',
  'src/поиск.go',
  'src/検索.ts',
  'src/my file.ts',
  "src/it's.py",
  '.env.example',
  'C#/x.cs',
  'src/a+b.ts',
  'src/pay-ments/v1.2/run.sh',
  'Makefile',
  'docker/Dockerfile.dev',
  'src/index.d.ts',
  'lib/~tmp/x.rb',
  'a&b/c.ts',
  'src/#private/x.ts',
  'src/100%/x.ts',
  'src/a,b.ts',
]

test('a file is found by its path, with the letters and signs that frameworks and people use', (t) => {
  const command = freshCommand(t)
  for (const [at, path] of PATHS.entries()) {
    const text = at % 2 === 0 ? `In ${path} the cache is warm ${at}.` : `Never change \`${path}\` by hand, rule ${at}.`
    json(command, ['capture', '--type', 'gotcha', text])
  }
  const silent = PATHS.filter((path, at) => !toldAbout(command, path, `s${at}`).includes(path))
  assert.deepEqual(silent, [])
})

test('a path is the same in both forms of its letters, with the separators of Windows, and as a whole', (t) => {
  const command = freshCommand(t)
  json(command, ['capture', '--type', 'gotcha', 'In src/cafe\u0301.ts the till is open.'])
  json(command, ['capture', '--type', 'gotcha', 'In src\\billing\\tax.ts the rate is fixed.'])
  json(command, ['capture', '--type', 'gotcha', `${join(command.project, 'src/whole.ts')} is generated.`])
  assert.match(toldAbout(command, 'src/caf\u00e9.ts', 'a'), /till is open/)
  assert.match(toldAbout(command, 'src/billing/tax.ts', 'b'), /rate is fixed/)
  assert.match(toldAbout(command, 'src/whole.ts', 'c'), /is generated/)
})

test('a name that is a part of another, or that of another file, is no mention', (t) => {
  const command = freshCommand(t)
  for (const text of [
    'In app/[id]/page.tsx params are a promise.',
    'In src/pay.tsx the total is rounded.',
    'In src/pay.ts.bak the total was wrong.',
    'xsrc/pay.ts is of another program.',
    'The page of login is slow.',
  ])
    json(command, ['capture', '--type', 'gotcha', text])
  for (const [at, path] of ['app/[slug]/page.tsx', 'src/pay.ts', 'app/login/page.tsx', 'other/[id]/x.tsx'].entries())
    assert.equal(toldAbout(command, path, `s${at}`), '', path)
})
