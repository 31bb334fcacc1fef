// Pictures of the dashboard, compared with an earlier take. The pictures here are small ones that the test paints.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import test from 'node:test'
import { PNG } from 'pngjs'
import { compareTakes, pictureNames } from '../scripts/look/compare.mjs'
import { COUNTS, LOOKS, VIEWS } from '../scripts/look/views.mjs'
import { freshFolder, root } from './support/project.mjs'

const GREY = 120

function paint(folder, name, { width = 40, height = 30, spots = [] } = {}) {
  const picture = new PNG({ width, height })
  for (let at = 0; at < width * height; at += 1) picture.data.set([GREY, GREY, GREY, 255], 4 * at)
  for (const at of spots) picture.data.set([255, 0, 0, 255], 4 * at)
  const path = join(folder, `${name}.png`)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, PNG.sync.write(picture))
}

const look = (...args) =>
  spawnSync(process.execPath, [join(root, 'scripts', 'look.mjs'), ...args], { encoding: 'utf8', cwd: root })

test('two takes of the same pictures are the same', (t) => {
  const [older, newer] = [freshFolder(t), freshFolder(t)]
  for (const folder of [older, newer])
    for (const name of ['0/light-desk/memory', '0/dark-desk/memory']) paint(folder, name)
  const { same, changed } = compareTakes(older, newer, pictureNames(older))
  assert.deepEqual(same, ['0/dark-desk/memory', '0/light-desk/memory'])
  assert.deepEqual(changed, [])
  assert.equal(existsSync(join(newer, 'changed')), false)
})

test('one changed pixel is seen, and marked in a picture of its own', (t) => {
  const [older, newer] = [freshFolder(t), freshFolder(t)]
  paint(older, '20/light-phone/records')
  paint(newer, '20/light-phone/records', { spots: [17] })
  const { changed } = compareTakes(older, newer, ['20/light-phone/records'])
  assert.deepEqual(changed, [{ name: '20/light-phone/records', pixels: 1, share: 1 / 1200 }])
  assert.deepEqual(readdirSync(join(newer, 'changed', '20', 'light-phone')), ['records.png'])
  assert.deepEqual(pictureNames(newer), ['20/light-phone/records'], 'the marked picture belongs to no take')
})

test('a picture of another size has changed, by the room that it gained', (t) => {
  const [older, newer] = [freshFolder(t), freshFolder(t)]
  paint(older, 'a/b/health', { height: 30 })
  paint(newer, 'a/b/health', { height: 32 })
  const [{ pixels }] = compareTakes(older, newer, ['a/b/health']).changed
  assert.equal(pixels, 80)
})

test('new pictures and missing ones are named', (t) => {
  const [older, newer] = [freshFolder(t), freshFolder(t)]
  paint(older, 'a/b/gone')
  paint(newer, 'a/b/fresh')
  const { added, missing } = compareTakes(older, newer, ['a/b/fresh', 'a/b/gone'])
  assert.deepEqual([added, missing], [['a/b/fresh'], ['a/b/gone']])
})

test('every view of the page has a picture, empty and full, in both colours, on a desk and on a phone', () => {
  const shown = new Set(
    VIEWS.map(({ hash }) => String(typeof hash === 'function' ? hash({ id: 'x' }) : hash).split(/[/?]/)[1]),
  )
  for (const view of ['home', 'memories', 'entry', 'review', 'sessions', 'health']) assert.ok(shown.has(view), view)
  assert.deepEqual(COUNTS, [0, 20, 20_000])
  assert.deepEqual(
    LOOKS.map(({ colorScheme, viewport }) => `${colorScheme} ${viewport.width}x${viewport.height}`),
    ['light 1440x900', 'dark 1440x900', 'light 390x844', 'dark 390x844'],
  )
})

test('pictures go outside the repository, and wrong arguments are refused with a hint', (t) => {
  const folder = freshFolder(t)
  const cases = [
    [[], /expected one folder/],
    [['docs/pictures'], /is inside the repository/],
    [[folder, '--against', folder], /cannot be compared with itself/],
    [[folder, '--against', join(folder, 'nothing')], /does not exist/],
  ]
  for (const [args, message] of cases) {
    const { status, stderr } = look(...args)
    assert.equal(status, 1)
    assert.match(stderr, message)
    assert.match(stderr, /hint: /)
  }
})
