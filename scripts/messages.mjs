// Collects every text with more than one word that the package can show to people into __test__/data/messages.snapshot.md, so that they
// can be read in one go: `node scripts/messages.mjs` writes the file again.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { textsOfRust } from './messages/rust-texts.mjs'
import { textsOfTypeScript } from './messages/typescript-texts.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
export const SNAPSHOT = join(root, '__test__', 'data', 'messages.snapshot.md')

/** What is written for machines: SQL, queries of syntax trees, tables of numbers, headers, styles, lines of git's files. */
const NOT_PROSE = [
  /^-- /,
  /^(select|insert|update|delete|create|alter|drop|with|begin|pragma|attach|on conflict|where|order by|and|set|listen|chain) .*[=(*_{]/i,
  /\b(is not null|timestamptz|coalesce|collate|returning|order by rowid|materialized|jsonb_agg|set_config|query_words)\b|\(select \w+[ (]|::(float4|float8|tsquery|text|int)\b|interval '|^content = ''|(\w+, ){6}/i,
  /^\(\w+_\w+|^[([;@#{]\w*[: ]*\w*[)\]=]|\(\w+\) @|^[a-z0-9. ]{200,}$/,
  /^(Content-|X-Content|Connection:|HTTP\/|Authorization:|Bearer )|; charset=|^[a-z]+-(src|uri|action|ancestors) |^public, max-age/,
  /^\d+px|^\(prefers-|^\(pointer|^M\{\}|merge=forge-memory text|^[^a-zA-Z]*$/,
]
/** Two words with a space between them. */
const PROSE = /[a-z)}\]>'"`:;,.!?] +[a-z({'"`<[]/i
const LENGTH_MAX = 4000
/** Files whose texts are data: words of languages, tables of characters, texts of other programs. */
const DATA =
  /(^|\/)text\/|learn\/(failure|foreign|sentence)|^human_text\.rs|^declaration\.rs|^reader\/(?!mod)|hidden-table/

/** What the surfaces say about the fields of the engine's arguments. */
const DECLARED = 'lib/shared/declared.json'
/** A table of rules with the reasons that people see. */
const RULES = 'crates/transcripts/src/learn/rules.txt'

/** Collects the texts by room: `lib/cli`, `crates/core`, and so on. */
export function collectMessages() {
  const rooms = new Map()
  const add = (room, text) => {
    const line = text.replace(/\s+/g, ' ').trim()
    if (!PROSE.test(line) || NOT_PROSE.some((form) => form.test(line)) || line.length > LENGTH_MAX) return
    rooms.set(room, (rooms.get(room) ?? new Set()).add(line))
  }
  textsOfTypeScript(join(root, 'lib'), (file, text) => {
    if (!file.includes('hidden-table')) add(`lib/${file.split('/')[0]}`, text)
  })
  for (const name of readdirSync(join(root, 'crates'))) {
    const source = join(root, 'crates', name, 'src')
    if (!existsSync(source) || name === 'layering') continue
    textsOfRust(source, (file, text) => {
      if (!DATA.test(file)) add(`crates/${name}`, text)
    })
  }
  for (const { properties } of Object.values(JSON.parse(readFileSync(join(root, DECLARED), 'utf8')))) {
    for (const { description = '' } of Object.values(properties)) add('lib/shared', description)
  }
  for (const line of readFileSync(join(root, RULES), 'utf8').split('\n')) {
    if (!line.startsWith('#')) add('crates/transcripts', line.slice(line.indexOf(':') + 1))
  }
  textsOfRust(join(root, 'src'), (_, text) => add('src', text))
  return rooms
}

/** The snapshot as a document: a heading a room, its texts in alphabetical order. */
export function writeDown(rooms) {
  const parts = [...rooms].sort(([a], [b]) => (a < b ? -1 : 1)).map(([room, texts]) => section(room, [...texts].sort()))
  return `${['# What the package says to people', 'Written by `node scripts/messages.mjs`; `{}` stands for a value.', ...parts].join('\n\n')}\n`
}

function section(room, texts) {
  return `## ${room}\n\n${texts.map((text) => `- ${text}`).join('\n')}`
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  writeFileSync(SNAPSHOT, writeDown(collectMessages()))
}
