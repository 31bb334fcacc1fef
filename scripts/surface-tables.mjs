// Completes the tables of tools in docs/reference/agents.md and of requests in docs/reference/hub.md: what is missing is appended in the words of
// the code, and a row of what is not there is an error. Rows that are there stay as they are written. The table of what reaches which agent, in docs/agents.md, is
// written whole.
//   node scripts/surface-tables.mjs
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { roomsNamed } from './rooms/named.mjs'

const load = createRequire(import.meta.url)
const root = fileURLToPath(new URL('..', import.meta.url))

const filesIn = (...folders) =>
  folders.flatMap((folder) => readdirSync(join(root, folder)).map((file) => join(root, folder, file)))

/** The folders whose files have routes: those of the server, and those of features. */
const FOLDERS_OF_ROUTES = ['http', 'server', ...roomsNamed('http')]

/** Every tool as a client is told of it. */
function toolsOf() {
  const folder = mkdtempSync(join(tmpdir(), 'forge-tools-'))
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'tables', version: '1' } }
  const asked = [
    { id: 1, method: 'initialize', params },
    { method: 'notifications/initialized' },
    { id: 2, method: 'tools/list' },
  ]
  const { stdout } = spawnSync(process.execPath, [join(root, 'dist/cli/main.js'), 'mcp', '--tools', 'full'], {
    input: asked.map((message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`).join(''),
    encoding: 'utf8',
    cwd: folder,
    env: { ...process.env, FORGE_HOME: join(folder, 'home') },
  })
  rmSync(folder, { recursive: true })
  const answers = stdout.split('\n').filter(Boolean).map(JSON.parse)
  return answers.find(({ id }) => id === 2).result.tools
}

function toolRow({ name, title, annotations: { readOnlyHint, destructiveHint } }) {
  const text = title[0].toLowerCase() + title.slice(1)
  return `| \`${name}\` | ${text} | ${readOnlyHint ? 'no' : destructiveHint ? 'deletes' : 'yes'} |`
}

/** Every request that the server answers, as `GET /path`. */
export function requestsOf() {
  const routes = FOLDERS_OF_ROUTES.flatMap((folder) => {
    const found = filesIn(`dist/${folder}`)
      .filter((file) => /^exports\.\w+Routes = /m.test(readFileSync(file, 'utf8')))
      .flatMap((file) => Object.entries(load(file)))
      .filter(([name]) => name.endsWith('Routes'))
      .map(([, routesOf]) => routesOf(root, {}))
    if (found.length === 0) throw new Error(`no file of dist/${folder} has routes`)
    return found.flatMap((made) => made.routes ?? made)
  })
  return [
    ...routes.map(({ method, pattern }) => `${method} ${pattern}`),
    'GET /api/status',
    'GET /metrics',
    'GET /health',
  ]
}

/** A row in the words of the code: the function of the library behind a request. */
function requestRow(request) {
  const [, path] = request.split(' ')
  const texts = filesIn(...FOLDERS_OF_ROUTES.map((folder) => `lib/${folder}`)).map((file) => readFileSync(file, 'utf8'))
  const [, ...behind] = texts.flatMap((text) => (text.includes(`'${path}'`) ? text.split(`'${path}'`) : []))
  const code = (request.startsWith('GET') ? behind.at(0) : behind.at(-1)) ?? ''
  const library = load(join(root, 'dist/index.js'))
  const name = [...code.matchAll(/\b(\w+)\(/g)].map(([, each]) => each).find((each) => each in library)
  return `| \`${request}\` | \`${name}()\` |`
}

/** The requests that a row is about: `GET`, `PATCH /a`, `/b` are three. */
export function requestsIn(row) {
  const cell = row.split(/(?<!\\)\|/)[1]
  const words = cell.match(/[A-Z]+(?=`| \/)|\/[^`?\s]+/g) ?? []
  let methods = []
  let hasPath = true
  return words.flatMap((word) => {
    if (!word.startsWith('/')) {
      methods = hasPath ? [word] : [...methods, word]
      hasPath = false
      return []
    }
    hasPath = true
    const [, stem, names = ''] = /^(.*?)(\w+(?:\\\|\w+)+)?$/.exec(word)
    const paths = names === '' ? [word] : names.split('\\|').map((name) => stem + name)
    return methods.flatMap((method) => paths.map((path) => `${method} ${path}`))
  })
}

/** The name that a row of the table of tools is about. */
const toolIn = (row) => [/^\| `([a-z]+_[a-z_]+)` \|/.exec(row)?.[1]].filter(Boolean)

/** Completes the rows below the head of a table. A row of what is not there is an error: what it says may have moved. */
export function completed(text, head, named, wanted, rowOf) {
  const start = text.indexOf('\n', text.indexOf('|---', text.indexOf(head))) + 1
  const end = /\n(?!\|)/.exec(text.slice(start)).index + start
  const rows = text
    .slice(start, end)
    .split('\n')
    .filter((row) => row !== '')
  const gone = rows.find((row) => named(row).length === 0 || !named(row).every((name) => wanted.includes(name)))
  if (gone !== undefined) throw new Error(`the table ${head} has a row of what is not there: ${gone}`)
  const known = new Set(rows.flatMap(named))
  const missing = wanted.filter((name) => !known.has(name))
  return `${text.slice(0, start)}${[...rows, ...missing.map(rowOf)].join('\n')}${text.slice(end)}`
}

const REACH = { delivered: '**yes**', emitted: 'emitted', documented: 'documented', none: '-' }

/** What reaches which agent, as `lib/init/capabilities.ts` declares and `eval/hosts` has measured it. */
function withReach(page) {
  const { CAPABILITIES, MOMENTS } = load(join(root, 'dist/init/index.js'))
  const rows = CAPABILITIES.map(({ title, version = '-', date = '-', reach }) => [
    title,
    version,
    date,
    ...MOMENTS.map((moment) => REACH[reach[moment]]),
  ])
  const head = ['agent', 'version', 'date', ...MOMENTS]
  const lines = [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`)
  return page.replace(/(<!-- reach: begin[^\n]*\n)[\s\S]*?(<!-- reach: end)/, `$1${lines.join('\n')}\n$2`)
}

/** The pages with tables of what there is, as they should be. */
export function completedPages() {
  const tools = new Map(toolsOf().map((tool) => [tool.name, tool]))
  const read = (page) => readFileSync(join(root, 'docs', page), 'utf8')
  return {
    'agents.md': withReach(read('agents.md')),
    'reference/agents.md': completed(read('reference/agents.md'), '| tool |', toolIn, [...tools.keys()], (name) =>
      toolRow(tools.get(name)),
    ),
    'reference/hub.md': completed(read('reference/hub.md'), '| request |', requestsIn, requestsOf(), requestRow),
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const [page, text] of Object.entries(completedPages())) writeFileSync(join(root, 'docs', page), text)
}
