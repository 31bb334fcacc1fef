// Long lists go through the user's pager on a terminal, and only there.
import assert from 'node:assert/strict'
import test from 'node:test'
import { freshCommand } from './support/command.mjs'
import { KEY, talk } from './support/dialogue.mjs'
import { hasTerminal } from './support/terminal.mjs'

const onTerminal = hasTerminal ? test : () => {}
/** Marks every line that went through it. */
const PAGER = 'sed s/^/paged:/'

function withRecords(t) {
  const command = freshCommand(t)
  const places = ['attic', 'balcony', 'cellar', 'dormer', 'entrance', 'foyer', 'gallery', 'hall', 'kitchen', 'larder']
  for (const [at, place] of places.entries())
    command.run(['capture', '-t', `kind-${at}`, `The ${place} has ${at + 3} lamps`])
  const list = (args, { rows = 8, ...env } = {}) =>
    talk([process.execPath, command.program, ...args], [], {
      cwd: command.project,
      env: command.env({ TERM: 'xterm', PAGER, ...env }),
      rows,
    })
  return { command, list }
}

onTerminal('a list that does not fit the screen goes through $PAGER, and one that fits does not', async (t) => {
  const { list } = withRecords(t)
  const long = await list(['list'])
  assert.equal(long.status, 0)
  assert.equal(long.screen.match(/^paged:/gm).length, 11, long.screen)
  for (const args of [
    ['--no-pager', 'list'],
    ['list', '--no-pager'],
    ['list', '-n', '3'],
    ['list', '--json'],
  ]) {
    assert.doesNotMatch((await list(args)).screen, /paged:/, args.join(' '))
  }
  assert.doesNotMatch((await list(['list'], { rows: 40 })).screen, /paged:/)
})

onTerminal('the list is printed where there is no pager, or none is wanted', async (t) => {
  const { list } = withRecords(t)
  for (const env of [{ PAGER: 'cat' }, { PAGER: '' }, { PAGER: 'no-such-pager-is-installed' }, { TERM: 'dumb' }]) {
    const { status, screen } = await list(['list'], env)
    assert.equal(status, 0)
    assert.match(screen, /The attic has 3 lamps/, JSON.stringify(env))
    assert.doesNotMatch(screen, /paged:/)
  }
})

onTerminal('the pager keeps colours, and the exit code is that of the command', async (t) => {
  const { list } = withRecords(t)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the sequence that sets a colour
  assert.match((await list(['list'], { FORCE_COLOR: '1' })).raw, /paged:.*\u001b\[35m/)
  assert.equal((await list(['list'], { PAGER: 'head -1; exit 3' })).status, 0)
})

test('a pipe is never paged', (t) => {
  const { command } = withRecords(t)
  const { stdout } = command.run(['list'], { env: { PAGER, FORCE_COLOR: '1' } })
  assert.doesNotMatch(stdout, /paged:/)
})

onTerminal('without --limit, a list has as many lines as the screen', async (t) => {
  const { command, list } = withRecords(t)
  for (const place of ['mezzanine', 'nursery', 'office', 'pantry', 'quarter', 'roof', 'scullery', 'terrace'])
    command.run(['capture', '-t', `kind-${place}`, `The ${place} has a window to the ${place}`])
  const rows = async (args, rows) => (await list(args, { rows })).screen.match(/^[0-9a-f]{8} /gm).length
  assert.equal(await rows(['list'], 20), 16)
  assert.equal(await rows(['list'], 40), 18)
  assert.equal(await rows(['list', '-n', '3'], 40), 3)
  assert.doesNotMatch((await list(['list'], { rows: 20 })).screen, /paged:/)
  assert.equal(command.run(['list']).stdout.match(/^[0-9a-f]{8} /gm).length, 10)
})

onTerminal('on a terminal without a size, a list is drawn as on one of 80 columns', async (t) => {
  const { command } = withRecords(t)
  const env = command.env({ TERM: 'xterm', PAGER: 'cat', COLUMNS: '0' })
  const words = [process.execPath, command.program, 'find', 'lamps']
  const { screen } = await talk(words, [['Which one? Escape leaves.', KEY.escape]], {
    cwd: command.project,
    env,
    columns: 0,
    rows: 0,
  })
  assert.match(screen, /● 1\. The \w+ has/)
})

onTerminal(
  'a search on a terminal leads into show, edit, forget and the clipboard, and a script is asked nothing',
  async (t) => {
    const { command } = withRecords(t)
    const find = (turns, args = [], env = {}) =>
      talk([process.execPath, command.program, 'find', 'lamps', ...args], turns, {
        cwd: command.project,
        env: command.env({ TERM: 'xterm', PAGER: 'cat', ...env }),
      })
    const count = () => JSON.parse(command.run(['--json', 'list', '-n', '100']).stdout).total
    const which = 'Which one?'
    const down = (times) => `${KEY.down.repeat(times)}${KEY.enter}`
    const shown = await find([
      [which, down(1)],
      ['be done', down(0)],
    ])
    const [, second] = /^ ?2\. (The .* lamps)/m.exec(shown.screen)
    assert.match(shown.screen, new RegExp(`\\n${second}\\n\\nid +mem_`))
    const copied = await find([
      [which, down(0)],
      ['be done', down(3)],
    ])
    const [, first] = /^ ?1\. (The .* lamps)/m.exec(copied.screen)
    assert.ok(copied.raw.includes(`\u001b]52;c;${Buffer.from(first).toString('base64')}\u0007`))
    assert.equal((await find([[which, KEY.escape]])).status, 0)
    assert.equal(count(), 10)
    await find([
      [which, down(0)],
      ['be done', down(2)],
    ])
    assert.equal(count(), 9)
    const edited = await find(
      [
        [which, down(8)],
        ['be done', down(1)],
      ],
      [],
      { VISUAL: '', EDITOR: 'sed -i s/lamps/candles/' },
    )
    const [, last] = /^ ?9\. (The .*) lamps/m.exec(edited.screen)
    assert.match(edited.screen, /Stored revision/)
    assert.equal(JSON.parse(command.run(['--json', 'find', `${last} candles`]).stdout).hits[0].text, `${last} candles`)
    for (const [args, env] of [[['--json']], [['--no-pager']], [[], { CLAUDECODE: '1' }]])
      assert.ok(!(await find([], args, env)).screen.includes(which))
    assert.ok(!command.run(['find', 'lamps']).stdout.includes(which))
  },
)
