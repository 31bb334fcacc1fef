// Compares what backfill finds in messages with what is to be remembered of them.
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

const program = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url))
const WHOLE = 0.6
const CUT = 0.3

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { causes: { type: 'string' }, show: { type: 'boolean', default: false } },
})
const read = (file) =>
  readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))

const unspaced = /[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\u0e00-\u0e7f]/
/** Returns the words of a text, and pairs of neighbours in scripts without spaces. */
function wordsOf(text) {
  const letters = [...text.toLowerCase()]
  if (letters.filter((letter) => unspaced.test(letter)).length > 5) {
    return new Set(
      letters
        .slice(1)
        .flatMap((letter, at) => (unspaced.test(letter) && unspaced.test(letters[at]) ? [letters[at] + letter] : [])),
    )
  }
  return new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [])
}

function share(gold, text) {
  const [wanted, said] = [wordsOf(gold), wordsOf(text)]
  return [...wanted].filter((word) => said.has(word)).length / Math.max(1, wanted.size)
}

/** Writes sessions of one person, and returns what backfill finds in them. */
function findingsOf(sessions) {
  const folder = mkdtempSync(join(tmpdir(), 'forge-learn-'))
  const project = join(folder, 'project')
  const store = join(folder, '.claude/projects/p')
  for (const path of [project, store]) mkdirSync(path, { recursive: true })
  for (const [id, lines] of sessions) {
    const records = lines.map(({ role, content }, at) => ({
      type: role,
      uuid: `${id}-${at}`,
      sessionId: id,
      cwd: project,
      timestamp: '2026-08-01T09:00:00.000Z',
      message: { role, content },
    }))
    writeFileSync(join(store, `${id}.jsonl`), records.map((record) => `${JSON.stringify(record)}\n`).join(''))
  }
  const env = {
    ...process.env,
    HOME: folder,
    USERPROFILE: folder,
    FORGE_HOME: join(folder, 'home'),
    CLAUDE_CONFIG_DIR: join(folder, '.claude'),
  }
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, '--json', 'backfill', '--dry-run'], {
    cwd: project,
    env,
    encoding: 'utf8',
  })
  rmSync(folder, { recursive: true, force: true })
  if (status !== 0) throw new Error(stderr)
  return JSON.parse(stdout).findings
}

function grouped(items, name) {
  const groups = new Map()
  for (const item of items) groups.set(name(item), [...(groups.get(name(item)) ?? []), item])
  return groups
}
const work = [
  {
    role: 'assistant',
    content: [
      { type: 'tool_use', id: 't1', name: 'Edit', input: { file_path: 'src/a.ts', old_string: 'a', new_string: 'b' } },
    ],
  },
  { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content: 'ok' }] },
]

function judge(findings, messages, tally) {
  for (const { text, confidence, reason } of findings) {
    const scored = messages.filter(({ gold }) => gold).map((message) => ({ message, part: share(message.gold, text) }))
    const from = messages.filter((message) => share(text, message.text) > 0.9)
    const best = scored.filter(({ message }) => from.includes(message)).sort((a, b) => b.part - a.part)[0]
    const verdict = !best ? 'noise' : best.part >= WHOLE ? 'whole' : best.part >= CUT ? 'cut' : 'noise'
    const lang = (from[0] ?? messages[0]).lang === 'en' ? 'en' : 'others'
    tally[lang][verdict] += 1
    if (verdict === 'whole' && (best.message.strength ?? 'A') === 'A') tally[lang].found.add(nameOf(best.message))
    if (values.show) console.log(`${verdict} ${confidence} | ${text} | ${best?.message.gold ?? '-'} | ${reason}`)
  }
}

/** A rule that is said several times counts once. */
const nameOf = ({ gold, why }) => /same rule (g\d+)/.exec(why ?? '')?.[1] ?? gold
const empty = () => ({ whole: 0, cut: 0, noise: 0, found: new Set(), wanted: new Set() })

function report(name, { whole, cut, noise, found, wanted }) {
  const all = whole + cut + noise
  const figure = (part, of) => (of === 0 ? '-' : (part / of).toFixed(2))
  console.log(
    `${name}: ${all} findings, precision ${figure(whole, all)}, cut ${figure(cut, all)}, recall ${found.size} of ${wanted.size} (${figure(found.size, wanted.size)})`,
  )
}

function run(messages, sessionsOf) {
  const tally = { en: empty(), others: empty() }
  for (const message of messages) {
    if (message.gold && (message.strength ?? 'A') === 'A')
      tally[message.lang === 'en' ? 'en' : 'others'].wanted.add(nameOf(message))
  }
  for (const own of grouped(messages, ({ session }) => session.split('-')[0]).values())
    judge(findingsOf(sessionsOf(own)), own, tally)
  return tally
}

const people = run(read(positionals[0]), (own) =>
  [...grouped(own, ({ session }) => session)].map(([id, messages]) => [
    id,
    messages.flatMap(({ text }) => [
      { role: 'user', content: text },
      { role: 'assistant', content: [{ type: 'text', text: 'Here is what I found.' }] },
    ]),
  ]),
)
report('messages, English', people.en)
report('messages, others', people.others)
if (values.causes) {
  const causes = run(read(values.causes), (own) =>
    own.map(({ session, text }) => [
      session,
      [
        { role: 'user', content: 'please have a look' },
        ...work,
        { role: 'assistant', content: [{ type: 'text', text }] },
      ],
    ]),
  )
  report('causes, English', causes.en)
  report('causes, others', causes.others)
}
