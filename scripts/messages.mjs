// Collects every text with more than one word that the package can show to people into __test__/messages.snapshot.md, so that they
// can be read in one go: `node scripts/messages.mjs` writes the file again.
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { textsOfRust } from './messages/rust-texts.mjs'
import { textsOfTypeScript } from './messages/typescript-texts.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
export const SNAPSHOT = join(root, '__test__', 'messages.snapshot.md')

/** What is written for machines: SQL, queries of syntax trees, tables of characters, paths, headers, style sheets. */
const NOT_PROSE =
  /^\s*(select|insert|update|delete|create|alter|drop|with|begin|commit|rollback|pragma|analyze|vacuum|attach|on conflict|where|order by|and|set|values|from|join|left join|limit|group by|union)\b[\s\S]*[=(*_$?]|^[\s(\[;@)#._\w-]*\(\w+_\w+|^[\w.\- ]*;\s*[\w-]+=|^--?[a-z]|^[^a-zA-Z]*$/i
/** Two words: letters, a space, letters. */
const PROSE = /[a-z)},'"`:;.\]>] +[a-z({'"`<[*]/i
const LENGTH_MAX = 600

/** Collects the texts by room: `lib/cli`, `crates/core`, and so on. */
export function collectMessages() {
  const rooms = new Map()
  const add = (room, text) => {
    const line = text.replace(/\s+/g, ' ').trim()
    if (!PROSE.test(line) || NOT_PROSE.test(line) || line.length > LENGTH_MAX) return
    rooms.set(room, (rooms.get(room) ?? new Set()).add(line))
  }
  textsOfTypeScript(join(root, 'lib'), (file, text) => add(`lib/${file.includes('/') ? file.split('/')[0] : ''}`, text))
  for (const name of readdirSync(join(root, 'crates'))) {
    const source = join(root, 'crates', name, 'src')
    if (existsSync(source) && name !== 'layering') textsOfRust(source, (_, text) => add(`crates/${name}`, text))
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
