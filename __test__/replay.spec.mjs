// The recorded sessions, played against the real hooks: what must appear does, and where nothing may, nothing does.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { gates, projects, sessions } from '../eval/replay/set.mjs'
import { freshCommand, json } from './support/command.mjs'
import { root } from './support/project.mjs'

const RUN = join(root, 'eval/replay/run.mjs')

test('the set has at least 60 sessions, and every note that is expected is known in its project', () => {
  const known = projects()
  const all = sessions()
  assert.ok(all.length >= gates().sessions)
  assert.equal(new Set(all.map(({ id }) => id)).size, all.length)
  for (const { id, project, steps } of all) {
    const keys = known.get(project).memories.map(({ key }) => key)
    assert.ok(steps.length > 0, id)
    for (const { tell } of steps) assert.ok(tell.length <= 2 && tell.every((key) => keys.includes(key)), id)
  }
  const quiet = all.flatMap(({ steps }) => steps).filter(({ tell }) => tell.length === 0)
  assert.ok(quiet.length >= 100, String(quiet.length))
})

for (const part of ['held', 'frameworks']) {
  test(`the sessions of the part "${part}" are other ones, in other projects`, () => {
    const known = projects(part)
    const others = [...projects().keys()]
    assert.ok(sessions(part).flatMap(({ steps }) => steps).length >= 100)
    for (const { project, steps } of sessions(part)) {
      assert.ok(!others.includes(project), project)
      const keys = known.get(project).memories.map(({ key }) => key)
      for (const { tell } of steps)
        assert.ok(
          tell.every((key) => keys.includes(key)),
          project,
        )
    }
  })

  test(`sessions of the part "${part}", which the rules were not made with, stay within the gates`, (t) => {
    const { stdout, stderr } = spawnSync(process.execPath, [RUN, `--${part}`, '--json'], { encoding: 'utf8' })
    assert.equal(stderr, '')
    const figures = JSON.parse(stdout)
    t.diagnostic(JSON.stringify({ ...figures, mistakes: undefined }))
    assert.ok(figures.precision >= gates().precision && figures.recall >= 0.8, figures.mistakes.join('\n'))
  })
}

test('precision, silence and tokens are within their gates', (t) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [RUN, '--json'], { encoding: 'utf8' })
  assert.equal(stderr, '')
  const figures = JSON.parse(stdout)
  t.diagnostic(JSON.stringify({ ...figures, mistakes: undefined }))
  assert.deepEqual([status, figures.failed], [0, []], figures.mistakes.join('\n'))
  const { exactPrecision, precision, silence } = gates()
  assert.ok(exactPrecision >= 0.95 && precision >= 0.8 && silence >= 0.97)
  assert.ok(figures.exactPrecision >= exactPrecision && figures.precision >= precision && figures.silence >= silence)
  assert.ok(figures.recall >= 0.8, String(figures.recall))
  assert.ok(figures.tokensMax <= 200, String(figures.tokensMax))
})

test("a transcript of one's own is played, and nothing of it is kept", (t) => {
  const command = freshCommand(t)
  json(command, ['capture', '--type', 'gotcha', 'src/pool.ts must be closed last.'])
  const use = (id, name, input) => ({
    type: 'assistant',
    message: { content: [{ type: 'tool_use', id, name, input }] },
  })
  const lines = [
    use('1', 'Edit', { file_path: join(command.project, 'src/pool.ts'), old_string: 'a', new_string: 'b' }),
    use('2', 'Bash', { command: 'ls' }),
    { type: 'user', message: { content: [{ type: 'tool_result', tool_use_id: '2', is_error: true, content: 'x' }] } },
    'no entry',
  ]
  mkdirSync(join(command.project, 'src'))
  const path = join(command.folder, 'transcript.jsonl')
  writeFileSync(path, `${lines.map((line) => JSON.stringify(line)).join('\n')}\n{"torn`)
  const args = [RUN, '--transcript', path, '--project', command.project]
  const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', env: command.env() })
  assert.equal(stderr, '')
  assert.match(
    stdout,
    /src\/pool\.ts\n\[recorded notes\][\s\S]*closed last[\s\S]*\n3 steps, 1 with a note, \d+ tokens\n$/,
  )
  assert.equal(json(command, ['stats']).injected, 0)
})
