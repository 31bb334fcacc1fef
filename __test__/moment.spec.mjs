// Notes right before an agent edits a file or runs a command, and after a failed command.
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { encode } from 'gpt-tokenizer'
import { captureMemory } from '../index.js'
import { freshCommand, json } from './support/command.mjs'

let calls = 0

/** Runs a hook call of Claude Code about a tool, and returns the injected text. */
export function about(command, tool_name, tool_input, { session = 's', event = 'PreToolUse', fields = {}, id } = {}) {
  calls += 1
  const payload = {
    session_id: session,
    cwd: command.project,
    hook_event_name: event,
    tool_name,
    tool_input,
    tool_use_id: id ?? `toolu_${calls}`,
    ...fields,
  }
  const { status, stdout, stderr } = command.run(['hook', event], {
    input: JSON.stringify(payload),
    env: { FORGE_MEMORY_HOOK_DEADLINE_MS: '20000' },
  })
  assert.deepEqual([status, stderr], [0, ''])
  if (stdout === '') return undefined
  const { hookSpecificOutput, systemMessage } = JSON.parse(stdout)
  // At the end the person sees what was recalled.
  if (hookSpecificOutput === undefined && systemMessage !== undefined) return undefined
  const { hookEventName, additionalContext, ...more } = hookSpecificOutput
  // A decision would allow or deny what the user is to be asked about.
  assert.deepEqual([hookEventName, more], [event, {}])
  return additionalContext
}

const edit = (path, old_string = 'a', new_string = 'b') => ['Edit', { file_path: path, old_string, new_string }]
const bash = (line) => ['Bash', { command: line }]

function filled(t, notes) {
  const command = freshCommand(t)
  for (const [type, text, ...more] of notes) json(command, ['capture', '--type', type, text, ...more])
  return command
}

test('before an edit: records about that file, in the answer to the permission request', (t) => {
  const command = filled(t, [
    ['gotcha', 'In src/auth/login.ts the token is null on the first render.'],
    ['decision', 'src/auth/session.ts keeps WAL sessions, because readers never wait.'],
    ['lesson', 'Login pages are slow in winter.'],
  ])
  const told = about(command, ...edit(join(command.project, 'src/auth/login.ts')))
  assert.match(
    told,
    /^\[recorded notes\].*\n {2}\[gotcha\] .*the token is null on the first render\. \(new, [0-9a-f]{8}\)\n/,
  )
  assert.doesNotMatch(told, /WAL|winter/)
  assert.match(about(command, ...edit('src/auth/session.ts')), /WAL/)
  assert.equal(about(command, ...edit('src/auth/logout.ts')), undefined)
  // Another file of the same name is another file.
  assert.equal(about(command, ...edit('src/admin/login.ts'), { session: 'other' }), undefined)
})

test('before an edit: records that were captured with that file, whatever their text names', (t) => {
  const command = filled(t, [])
  const body = 'Tokens are compared in constant time, because the gateway logs how long it takes.'
  const { thought } = captureMemory(
    { type: 'decision', body, sourceFile: 'src/auth/compare.ts' },
    { projectDir: command.project },
  )
  assert.match(about(command, ...edit('src/auth/compare.ts')), /constant time/)
  assert.equal(about(command, ...edit('src/admin/compare.ts'), { session: 'other' }), undefined)
  const { hits } = json(command, ['recall', 'auth compare'])
  assert.deepEqual(
    hits.map(({ id, sourceFile }) => [id, sourceFile]),
    [[thought.id, 'src/auth/compare.ts']],
  )
})

test('an agent that works in a folder below the project is given the same', (t) => {
  const command = filled(t, [['gotcha', 'In src/auth/login.ts the token is null on the first render.']])
  const cwd = join(command.project, 'src', 'auth')
  mkdirSync(cwd, { recursive: true })
  assert.match(about(command, ...edit('login.ts'), { fields: { cwd } }), /null on the first render/)
  assert.equal(about(command, ...edit('auth/login.ts'), { fields: { cwd } }), undefined)
})

test('a note is injected once per session, unless it changed or the context was lost', (t) => {
  const command = filled(t, [['gotcha', 'src/pool.ts must be closed last.']])
  const file = edit('src/pool.ts')
  assert.match(about(command, ...file), /closed last/)
  assert.equal(about(command, ...file), undefined)
  assert.match(about(command, ...file, { session: 'another' }), /closed last/)
  assert.match(about(command, ...file, { fields: { agent_id: 'sub-1' } }), /closed last/)
  const [{ id }] = json(command, ['list']).entries
  json(command, ['edit', id, 'src/pool.ts must be closed first.'])
  assert.match(about(command, ...file), /closed first/)
  about(command, 'x', {}, { event: 'PreCompact', fields: { trigger: 'auto' } })
  const started = about(command, 'x', {}, { event: 'SessionStart', fields: { source: 'compact' } })
  assert.match(started, /closed first/)
  assert.equal(about(command, ...file), undefined)
})

test('at most two notes and 200 tokens, however many records match: fewer notes rather than halves', (t) => {
  const reason = 'because the lock is taken in another order there than here '
  const words = ['alpha', 'bravo', 'charlie', 'delta']
  for (const [times, notes] of [
    [1, 2],
    [30, 1],
  ]) {
    const command = filled(
      t,
      words.map((word) => ['gotcha', `${word} in src/pool.ts: ${word} comes first, ${reason.repeat(times)}`]),
    )
    for (let told = 0; told < words.length; told += notes) {
      const note = about(command, ...edit('src/pool.ts'))
      assert.equal(note.match(/^ {2}\[gotcha\]/gm).length, notes)
      assert.ok(encode(note).length <= 200, String(encode(note).length))
    }
    assert.equal(about(command, ...edit('src/pool.ts')), undefined)
  }
})

test('records about a folder, a symbol of the file and its callers count as well', async (t) => {
  const command = filled(t, [
    ['convention', 'Everything under src/billing/ works in cents.'],
    ['gotcha', 'chargeCard retries by itself; never wrap it in a loop.'],
    ['gotcha', 'renewSubscription holds a row lock until the mail is sent.'],
    ['lesson', 'src/ is formatted by hand.'],
  ])
  mkdirSync(join(command.project, 'src/billing'), { recursive: true })
  writeFileSync(
    join(command.project, 'src/billing/charge.js'),
    'export function chargeCard(card) {\n  return card\n}\n',
  )
  const renew =
    "import { chargeCard } from './charge.js'\nexport function renewSubscription(card) {\n  return chargeCard(card)\n}\n"
  writeFileSync(join(command.project, 'src/billing/renew.js'), renew)
  const folder = about(command, ...edit('src/billing/other.js'), { session: 'folder' })
  assert.match(folder, /works in cents/)
  assert.doesNotMatch(folder, /by hand/)
  const change = [
    'src/billing/charge.js',
    'export function chargeCard(card) {',
    'export async function chargeCard(card) {',
  ]
  assert.match(about(command, ...edit(...change), { session: 'symbol' }), /retries by itself/)
  json(command, ['lattice', 'index'])
  const withGraph = about(command, ...edit(...change), { session: 'graph' })
  assert.match(withGraph, /retries by itself/)
  assert.match(withGraph, /row lock/)
  assert.match(
    about(command, ...edit('src/web/page.js', '', 'await chargeCard(card)'), { session: 'used' }),
    /retries by itself/,
  )
  assert.equal(about(command, ...edit('src/web/page.js', '', 'await payLater(card)'), { session: 'none' }), undefined)
})

test('an edit within a function is about that function, and a note about a member is only about that member', (t) => {
  const command = filled(t, [
    ['gotcha', 'enterSystemOff: clear the compare event before, or the node wakes up at once.'],
    ['lesson', 'CheckoutController@store runs twice when somebody double-clicks.'],
    ['convention', 'No Process.sleep in tests, use assert_receive.'],
    ['lesson', 'adb shell pm clear app.ride also removes the login.'],
    ['gotcha', 'ACCESS_BACKGROUND_LOCATION is not in the manifest on purpose.'],
  ])
  const write = (path, text) => {
    mkdirSync(join(command.project, path, '..'), { recursive: true })
    writeFileSync(join(command.project, path), text)
  }
  write('src/power.c', 'void enterSystemOff(void) {\n  rtc_stop();\n}\n\nint other(void) {\n  rtc_start();\n}\n')
  write(
    'app/CheckoutController.php',
    '  public function show() {\n    look();\n  }\n  public function store() {\n    place();\n  }\n',
  )
  const session = (name) => ({ session: name })
  assert.match(about(command, ...edit('src/power.c', '  rtc_stop();', '  rtc_halt();')), /compare event/)
  assert.equal(about(command, ...edit('src/power.c', '  rtc_start();', '  rtc_run();'), session('b')), undefined)
  assert.match(about(command, ...edit('app/CheckoutController.php', '    place();', '    put();')), /runs twice/)
  const other = about(command, ...edit('app/CheckoutController.php', '    look();', '    see();'), session('b'))
  assert.equal(other, undefined)
  assert.match(about(command, ...edit('test/cart.exs', 'Process.sleep(1)', 'Process.sleep(5)')), /assert_receive/)
  assert.equal(about(command, ...edit('rules.pro', '-keep class app.ride.api.**', ''), session('b')), undefined)
  assert.match(about(command, ...edit('Manifest.xml', '', 'name="x.ACCESS_BACKGROUND_LOCATION"')), /on purpose/)
})

test('the value of an option and the subcommand behind it tell commands apart, in containers and shells too', (t) => {
  const command = filled(t, [
    ['gotcha', 'pnpm --filter web e2e needs the mock server in a second terminal.'],
    ['gotcha', 'celery -A app.worker purge empties the queue of production.'],
    ['lesson', 'turbo run build --force does not replace the remote cache.'],
    ['gotcha', 'alembic downgrade drops the events table on its way.'],
    ['lesson', 'Dialyzer keeps its tables in priv/plts/, do not throw them away.'],
  ])
  const silent = ['pnpm --filter admin e2e', 'celery -A app.worker worker -l info', 'npx turbo run lint --filter=web']
  for (const line of silent) assert.equal(about(command, ...bash(line)), undefined, line)
  assert.match(about(command, ...bash('pnpm --filter web e2e --headed')), /mock server/)
  assert.match(about(command, ...bash('celery -A app.worker purge -f')), /queue of production/)
  assert.match(about(command, ...bash('TURBO_TEAM=a npx turbo run build --force')), /remote cache/)
  const inContainer = 'docker compose exec -T -e A=b api alembic downgrade -1'
  assert.match(about(command, ...bash(inContainer)), /events table/)
  assert.match(about(command, ...bash('bash -c "cd api && alembic downgrade -1"'), { session: 'b' }), /events table/)
  assert.match(about(command, ...bash('rm -rf _build priv/plts')), /Dialyzer/)
})

test('before a command: records about that program and these arguments', (t) => {
  const command = filled(t, [
    ['gotcha', 'git push to main deploys staging at once.'],
    ['gotcha', 'Run `docker compose up` only with the profile dev.'],
    ['lesson', 'npm install left-pad breaks the lock file.'],
    ['gotcha', 'scripts/seed.mjs empties the database first.'],
    ['lesson', 'We make test data small.'],
    ['decision', 'prettier --write is forbidden in generated code.'],
  ])
  const told = (line) => about(command, ...bash(line), { session: line })
  assert.match(told('cd web && git -C .. push --force origin main'), /deploys staging/)
  assert.match(told('FOO=1 sudo docker compose -f dev.yml up -d'), /profile dev/)
  assert.match(told('npm install left-pad'), /lock file/)
  assert.match(told('node scripts/seed.mjs --all'), /empties the database/)
  assert.match(told('npx prettier src --write'), /generated code/)
  for (const line of [
    'git status',
    'git pull',
    'npm install lodash',
    'make test',
    'docker ps',
    'cat scripts/seed.mjs',
    'echo git push',
    'ls',
    '',
  ]) {
    assert.equal(told(line), undefined, line)
  }
})

test('after a failed command: what fixed this failure before', (t) => {
  const command = filled(t, [
    ['gotcha', 'ERR_PNPM_OUTDATED_LOCKFILE: run pnpm install --no-frozen-lockfile once and commit the lock file.'],
    ['lesson', 'When the emulator is not running, connect to port 8085 is refused: start it with make emulator.'],
    ['lesson', 'Type errors are cheap.'],
  ])
  const failed = (error, line = 'pnpm ci') =>
    about(command, 'Bash', { command: line }, { event: 'PostToolUseFailure', fields: { error }, session: error })
  assert.match(
    failed('x\n ERR_PNPM_OUTDATED_LOCKFILE  Cannot install with "frozen-lockfile"\n'),
    /--no-frozen-lockfile once/,
  )
  assert.match(
    failed('Error: connect refused: emulator is not running on port 8085\n    at Socket.connect'),
    /make emulator/,
  )
  assert.equal(failed('TypeError: x is not a function'), undefined)
  assert.equal(failed('tests: 3 failed, 2 passed'), undefined)
  assert.equal(failed(''), undefined)
})

test('injected notes and their use are counted by hook and by week', (t) => {
  const command = filled(t, [
    ['gotcha', 'src/pool.ts must be closed last.'],
    ['gotcha', 'git push to main deploys staging at once.'],
    ['gotcha', 'Auth mocks must be made inside beforeEach.'],
  ])
  const zero = json(command, ['stats'])
  assert.deepEqual([zero.injected, zero.used, zero.wasted], [0, 0, 0])
  assert.match(command.run(['stats']).stdout, /injected no note here yet/)
  about(command, ...edit('src/pool.ts'), { id: 'one' })
  about(command, ...edit('src/pool.ts'), { id: 'one', event: 'PostToolUse' })
  assert.equal(json(command, ['stats']).used, 0)
  about(command, ...edit('src/pool.ts'), { id: 'two' })
  about(command, ...bash('git push'))
  about(command, 'x', {}, { event: 'UserPromptSubmit', fields: { prompt: 'Why do the auth mocks fail?' } })
  const cited = json(command, ['list'])
    .entries.find(({ text }) => /mocks/.test(text))
    .id.slice(-8)
  about(command, 'x', {}, { event: 'Stop', fields: { last_assistant_message: `As noted in ${cited}, they are.` } })
  const stats = json(command, ['stats'])
  assert.deepEqual([stats.injected, stats.used, stats.wasted], [3, 2, 1])
  assert.deepEqual(
    stats.byHook.map(({ hook, injected, used }) => [hook, injected, used]),
    [
      ['before-tool', 2, 1],
      ['prompt', 1, 1],
    ],
  )
  assert.equal(stats.byWeek.length, 1)
  assert.match(stats.byWeek[0].week, /^20\d\d-W\d\d$/)
  assert.ok(stats.tokens > 60 && stats.msP50 > 0)
  assert.match(command.run(['stats']).stdout, /before-tool +2 +1 +1/)
})

test('a note that does not belong to a file or a command is left out there alone, until that is taken back', (t) => {
  const command = filled(t, [['gotcha', 'In src/auth/login.ts the token is null, and `npm run e2e` fails on it.']])
  const [{ id }] = json(command, ['list']).entries
  let sessions = 0
  const told = (call) => {
    sessions += 1
    return about(command, ...call, { session: `s${sessions}` })?.includes('the token is null') ?? false
  }
  const [file, line] = [edit('src/auth/login.ts'), bash('npm run e2e -- --headed')]
  assert.deepEqual([file, line].map(told), [true, true])
  const said = command.run(['rate', 'elsewhere', id.slice(-8), '--at', 'src/auth/login.ts'])
  assert.match(said.stdout, /^Noted: hooks no longer give [0-9a-f]{8} at src\/auth\/login\.ts\.$/m)
  assert.deepEqual([file, line].map(told), [false, true])
  assert.equal(json(command, ['rate', 'elsewhere', id, '--at', 'npm run e2e']).counted, true)
  assert.equal(json(command, ['rate', 'elsewhere', id, '--at', 'npm  run e2e']).counted, false)
  assert.deepEqual([file, line].map(told), [false, false])
  assert.equal(json(command, ['recall', 'token null']).hits.length, 1, 'it is as true as before')
  assert.match(command.run(['undo']).stdout, / given there again +In src\/auth/)
  assert.deepEqual([file, line].map(told), [false, true])
  assert.deepEqual(json(command, ['undo']).changes[0].did, 'here')
  assert.deepEqual([file, line].map(told), [true, true])
  const agent = command.run(['rate', 'elsewhere', id, '--at', 'src/auth/login.ts'], { env: { CLAUDECODE: '1' } })
  assert.match(agent.stdout, /^Nothing changed: /, 'a person said the note')
  assert.equal(told(file), true)
  for (const wrong of [
    ['elsewhere', id],
    ['useful', id, '--at', 'src/a.ts'],
    ['elsewhere', id, '--at', ' '],
  ])
    assert.equal(command.run(['rate', ...wrong]).status, 2, wrong.join(' '))
})
