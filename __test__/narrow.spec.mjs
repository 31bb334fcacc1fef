import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import cells from 'string-width'
import { freshCommand, json } from './support/command.mjs'
import { fits } from './support/width.mjs'

test('every page fits the width of the terminal, however narrow', (t) => {
  const command = freshCommand(t)
  const tool = 'forge_sweep_with_a_very_long_name_of_a_tool'
  const text = 'Jest needs --runInBand on Windows, or the gate times out before the last suite has ended.'
  json(command, ['capture', '--type', 'gotcha', '--tool', tool, '--tag', 'jest', text])
  json(command, ['save', '--category', 'failure_pattern', 'watch mode hangs in CI'])
  mkdirSync(join(command.project, '.forge/telemetry'), { recursive: true })
  const versions = Array.from({ length: 9 }, (_, at) => JSON.stringify({ _v: at + 1, content: 'x' }))
  writeFileSync(join(command.project, '.forge/lessons.jsonl'), `${versions.join('\n')}\n`)
  writeFileSync(join(command.project, '.forge/a-file-that-nobody-knows-and-nobody-made.txt'), '')
  for (const args of [
    ['report'],
    ['list'],
    ['status'],
    ['doctor'],
    ['doctor', '--audit'],
    ['recall', 'gate'],
    ['compact', '--dry-run'],
  ]) {
    for (const [columns, LANG] of [
      [40, 'C'],
      [64, 'C.UTF-8'],
      [79, 'C'],
    ]) {
      const { stdout } = command.run(args, { env: { COLUMNS: String(columns), LANG } })
      const wide = stdout.split('\n').filter((line) => !fits(line, columns))
      assert.deepEqual(wide, [], `${args.join(' ')} at ${columns} ${LANG}`)
      assert.ok(stdout.length > 20)
    }
  }
  const found = command.run(['recall', 'gate'], { env: { COLUMNS: '40' } }).stdout
  const [, ...more] = found.split('\n').slice(0, 3)
  for (const line of more) assert.match(line, /^ {3}\S/, `a line goes on below its beginning: ${found}`)
  const narrow = command.run(['list'], { env: { COLUMNS: '40' } }).stdout
  assert.match(narrow, /gotcha.*Jest needs/, 'what matters is what stays')
})

const LANGUAGES = {
  English:
    'The Windows runner needs --runInBand because the children of the bundler hold the lock of packages/very/long/path/to/a/module/that/is/named/extraordinarily/index.test.ts until they have ended',
  German:
    'Die Donaudampfschifffahrtsgesellschaftskapitänsmützenverordnung bestimmt, dass Abhängigkeiten grundsätzlich über die Paketverwaltung aktualisiert werden und niemals von Hand',
  Russian:
    'Перед развёртыванием необходимо обязательно выполнить миграцию базы данных, иначе высоконагруженные сервисы перестают отвечать на запросы пользователей',
  Japanese:
    'リリース前に必ずステージング環境でデータベースのマイグレーションを実行してから、本番環境に展開してください。「テスト」は jest --runInBand で実行します',
}
const words = (text) => text.split(/\s+/).filter((word) => word !== '')

test('no line ends inside a word at any width, and what has no spaces ends between letters', async () => {
  const { wrap } = await import('../dist/cli/wrap.js')
  for (const [language, text] of Object.entries(LANGUAGES)) {
    for (let width = 20; width <= 200; width += 1) {
      const lines = wrap(text, width).split('\n')
      const at = `${language} at ${width}`
      // A line that is longer is one word, which nobody could copy from two.
      for (const line of lines) assert.ok(cells(line) <= width || !line.includes(' '), `${at}: ${line}`)
      for (const line of lines) assert.doesNotMatch(line, /^[、。」]/, at)
      if (language === 'Japanese') assert.equal(lines.join('').replaceAll(' ', ''), text.replaceAll(' ', ''), at)
      else assert.deepEqual(lines.flatMap(words), words(text), at)
    }
  }
  // A colour ends with its line, and begins again on the next.
  assert.equal(wrap('\u001b[1mone two\u001b[22m three', 5), '\u001b[1mone\u001b[22m\n\u001b[1mtwo\u001b[22m\nthree')
})

test('no page ends a line inside a word, nor runs past the terminal where it could end', (t) => {
  const command = freshCommand(t)
  for (const text of Object.values(LANGUAGES)) json(command, ['add', '-t', 'lesson', text])
  const [{ id }] = json(command, ['list']).entries
  json(command, ['keep', id])
  const init = ['init', '--scope', 'project', '--agent', 'claude', '--dry-run']
  for (const args of [
    ['list'],
    ['find', 'lock'],
    ['find', 'Abhängigkeiten'],
    ['find', 'マイグレーション'],
    ['show', id],
    ['status'],
    ['doctor'],
    ['review'],
    ['help'],
    ['help', 'init'],
    ['find', '--newst'],
    init,
  ]) {
    const said = (columns) => {
      const { stdout, stderr } = command.run(args, { env: { COLUMNS: `${columns}` } })
      // Files are shown to the letter.
      return `${stdout}\n${stderr}`.split('\n').filter((line) => !/^[-+@ ]/.test(line) || args !== init)
    }
    const whole = new Set(words(said(4000).join(' ')))
    for (const columns of [40, 57, 80, 120]) {
      for (const line of said(columns)) {
        const at = `${args.join(' ')} at ${columns}: ${line}`
        assert.ok(fits(line, columns), at)
        const ends = words(line).filter(
          (word) => !/[…\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u.test(word),
        )
        for (const word of [ends[0], ends.at(-1)]) assert.ok(word === undefined || whole.has(word), `${at}: ${word}`)
      }
    }
  }
})
