// Wrong command lines, over all commands: each is answered with its exit code, a stable code and the hint for that case, and writes nothing.
import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { freshCommand, json } from './support/command.mjs'
import { filesUnder } from './support/project.mjs'

const NONE = 'ffffffff'
const LIST_SHOWS = /^forge-memory list shows the stored records/
const GIVES_LEAVE = /^a person gives it once on a terminal: forge-memory --as person/
const NOTHING_THERE = /^check the path: no file or folder of that name exists$/
/** The hint that shows what a command takes. */
const helpOf = (path) =>
  new RegExp(
    `^(forge-memory )?${path && `${path} `}--help (shows what is accepted|lists the options|lists the commands)`,
  )
const example = (path) =>
  new RegExp(`^for example .*forge-memory ${path}.*; forge-memory ${path} --help shows what is accepted$`)
const guess = (...names) => new RegExp(`^did you mean ${names.join(' or ')}\\?`)

/** Words, what the error says, its hint; and the code when it is none of wrong input, the standard input. */
const WRONG = [
  // Commands that do not exist.
  [['foo'], /unknown command 'foo'/, helpOf('')],
  [['hok'], /unknown command 'hok'/, guess('hook')],
  [['config'], /unknown command 'config'/, /^forge-memory status names the file of settings/],
  [['log'], /unknown command 'log'/, guess('list, timeline', 'undo --list')],
  [['projects'], /unknown command 'projects'/, /^did you mean dashboard\? it shows all projects/],
  [['help', 'setup'], /unknown command 'setup'/, guess('init')],
  [['share', 'log'], /unknown command 'log'/, helpOf('share')],
  [['help', 'foo'], /unknown command 'foo'/, helpOf('')],
  [['model', 'list'], /unknown command 'list'/, helpOf('admin model')],
  [['share', 'exprt'], /unknown command 'exprt'/, guess('export')],
  [['code', 'calers', 'x'], /unknown command 'calers'/, guess('callers')],
  [['store', 'frob'], /unknown command 'frob'/, helpOf('share store')],
  [['dlq', 'frob'], /unknown command 'frob'/, helpOf('share dlq')],
  [['brain', 'nonsense'], /unknown command 'nonsense'/, helpOf('share brain')],
  [['anvil', 'frob'], /unknown command 'frob'/, helpOf('admin anvil')],
  // Options that do not exist, and some without their value.
  [['find', 'x', '--limt', '3'], /unknown option '--limt'/, guess('--limit')],
  [['undo', '--lst'], /unknown option '--lst'/, guess('--list')],
  [['doctor', '--fxi'], /unknown option '--fxi'/, guess('--fix')],
  [['status', '--tody'], /unknown option '--tody'/, guess('--today')],
  [['add', '-t', 'lesson', 'x', '--expires', '7d'], /unknown option '--expires'/, guess('--expires-at')],
  [['timeline', '--wombat', 'x'], /unknown option '--wombat'/, helpOf('admin timeline')],
  [['mcp', '--profile', 'x'], /unknown option '--profile'/, helpOf('agent mcp')],
  [['find', 'x', '--json=1'], /unknown option '--json=1'/, guess('--json')],
  [['--project'], /'-p, --project <dir>' argument missing/, helpOf('')],
  [['list', '-p'], /'-p, --project <dir>' argument missing/, helpOf('list')],
  [['find', 'x', '--as'], /'--as <speaker>' argument missing/, helpOf('find')],
  [['find', 'x', '--limit'], /'-n, --limit <count>' argument missing/, helpOf('find')],
  [['watch', '-t'], /'-t, --type <type>' argument missing/, helpOf('admin watch')],
  [['ralph', 'clear', '--loop-id'], /'--loop-id <id>' argument missing/, helpOf('agent ralph clear')],
  // Arguments that are missing, and some too many.
  [['find'], /missing required argument 'query'/, example('find')],
  [['show'], /missing required argument 'id'/, example('show')],
  [['add'], /missing required argument 'body'/, example('add')],
  [['edit'], /missing required argument 'id'/, example('edit')],
  [['forget'], /missing required argument 'id'/, example('forget')],
  [['replace'], /missing required argument 'old'/, example('admin replace')],
  [['rate', 'useful'], /missing required argument 'id'/, example('agent rate')],
  [['hook'], /missing required argument 'event'/, example('agent hook')],
  [['merge-driver', 'a', 'b'], /missing required argument 'theirs'/, example('share merge-driver')],
  [['brain', 'replay'], /missing required argument 'source'/, example('share brain replay')],
  [['keep'], /keep takes an id/, /^forge-memory list --retired shows/],
  [['import'], /import takes a path, or --shared/, /^forge-memory import --shared/],
  [['dlq', 'drop'], /expected at least one id/, /^give ids from dlq list, or --all$/],
  [['code', 'callers'], /name: expected a name/, helpOf('code callers')],
  [['list', 'extra'], /too many arguments for 'list'/, helpOf('list')],
  [['show', 'a', 'b'], /too many arguments for 'show'/, helpOf('show')],
  [['verify', 'extra'], /too many arguments for 'verify'/, helpOf('admin verify')],
  [['tour', '99'], /too many arguments for 'tour'/, helpOf('admin tour')],
  // Names that are none of a list: agents, profiles, types and others.
  [['find', 'x', '--scope', 'gobal'], /'gobal' is invalid. Allowed choices are project, global, all/, guess('global')],
  [['find', 'x', '--mode', 'magic'], /'magic' is invalid. Allowed choices are auto, words, meaning/, helpOf('find')],
  [['add', '-t', 'lesson', 'x', '--scope', 'galaxy'], /Allowed choices are project, global/, helpOf('add')],
  [['rate', 'usefull', NONE], /'usefull' is invalid/, guess('useful')],
  [['review', '--resolve', 'a', 'b', '--holds', 'newr'], /'newr' is invalid/, guess('newer')],
  [['init', '--agent', 'claude', 'cursr'], /'cursr' is invalid/, guess('cursor')],
  [['init', '--scope', 'galaxy'], /Allowed choices are user, project/, helpOf('init')],
  [['export', '--format', 'pdf'], /Allowed choices are jsonl, md/, helpOf('share export')],
  [['completion', 'tcsh'], /Allowed choices are bash, zsh, fish, powershell/, helpOf('admin completion')],
  [['backfill', '--agent', 'clippy'], /agents: expected one of .*claude/, helpOf('agent backfill')],
  [['import-memories', '--agent', 'clippy'], /clippy is not one of claude/, helpOf('agent import-memories')],
  [['sync-memories', '--agent', 'clippy'], /'clippy' is invalid/, helpOf('agent sync-memories')],
  [['mcp', '--tools', 'all'], /unknown profile all; expected one of core, full, plan-forge/, helpOf('agent mcp')],
  [
    ['list', '-t', 'lesso'],
    /no record has the type lesso/,
    /^did you mean lesson\? the types there are: lesson \(1\)$/,
  ],
  [['find', 'x', '-t', 'nonsense'], /no record has the type nonsense/, /^the types there are: lesson \(1\)$/],
  // Numbers, times and ports.
  [['find', 'x', '-n', 'many'], /'many' is invalid. expected a number/, helpOf('find')],
  [['find', 'x', '-n', '0'], /limit: 0 is not a whole number from 1 to 1000/, helpOf('find')],
  [['list', '-n', '5000'], /limit: 5000 is not a whole number from 1 to 1000/, helpOf('list')],
  [['find', 'x', '--min-confidence', '7'], /minConfidence: 7 is not a number from 0 to 1/, helpOf('find')],
  [['add', '-t', 'lesson', 'x', '--confidence', '2'], /confidence: 2 is not a number from 0 to 1/, helpOf('add')],
  [['backfill', '--accept', '7'], /accept: expected a number from 0 to 1/, helpOf('agent backfill')],
  [['find', 'x', '--since', 'soon'], /since: `soon` is not an ISO date or an age/, helpOf('find')],
  [['list', '--since', '2026-13-45'], /since: `2026-13-45` is not an ISO date/, helpOf('list')],
  [['list', '--at', 'never'], /at: `never` is not an ISO date/, helpOf('list')],
  [['keep', '--since', 'soon'], /since: `soon`/, helpOf('admin keep')],
  [['history', 'search', 'x', '--since', 'soon'], /since: `soon`/, helpOf('agent history search')],
  [['ralph', 'list', '--since', 'soon'], /since: `soon`/, helpOf('agent ralph list')],
  [['watch', '--since', 'soon'], /since: soon is not a date/, helpOf('admin watch')],
  [['pause', '--for', '9999d'], /for: "9999d" is not a time such as/, helpOf('agent pause')],
  [['dashboard', '--port', '99999'], /port: 99999 is not a port number/, helpOf('dashboard')],
  [['mcp', '--http', '99999'], /port: 99999 is not a port number/, helpOf('agent mcp')],
  [['mcp', '--http', 'abc'], /'abc' is invalid. expected a number/, helpOf('agent mcp')],
  // Ids.
  [['show', NONE], /no memory has the id/, LIST_SHOWS, 'NOT_FOUND'],
  [['edit', NONE, 'x'], /no memory has the id/, LIST_SHOWS, 'NOT_FOUND'],
  [['forget', NONE, '--yes'], /no memory has the id/, LIST_SHOWS, 'NOT_FOUND'],
  [['keep', NONE], /no memory has the id/, LIST_SHOWS, 'NOT_FOUND'],
  [['replace', NONE], /no memory has the id/, LIST_SHOWS, 'NOT_FOUND'],
  [['rate', 'useful', NONE], /no memory has the id/, LIST_SHOWS, 'NOT_FOUND'],
  [['add', '-t', 'lesson', 'x', '--supersedes', NONE], /no memory has the id/, LIST_SHOWS, 'NOT_FOUND'],
  [['review', '--resolve', 'a'], /--resolve: expected two ids/, /^give two ids after --resolve$/],
  // Two options of which only one can be meant.
  [['find', 'x', '--shared', '--tag', 'a'], /'--shared' cannot be used with option '--tag <tag>'/, helpOf('find')],
  [['find', 'x', '--project-name', 'shop'], /--project-name requires --shared/, /^add --shared; --project searches/],
  [['find', 'x', '--shared', '-t', 'a', '-t', 'b'], /one type at a time/, /^name one type, or none$/],
  // Texts.
  [['add', '-t', 'lesson', ''], /body: is empty/, helpOf('add')],
  [['add', '-t', 'lesson', '-'], /body: is empty/, helpOf('add')],
  [['add', '-t', '../x', 'x'], /type: `..\/x` is not a valid type/, helpOf('add')],
  [['add', '-t', 'lesson', '-'], /at most \d+ are allowed/, helpOf('add'), 'INVALID_INPUT', 'x'.repeat(1 << 20)],
  [
    ['add', '-t', 'lesson', '-'],
    /standard input is not UTF-8 text/,
    /^convert it first/,
    'INVALID_INPUT',
    Buffer.from([0xff]),
  ],
  // Files and folders.
  [['find', 'x', '-p', 'no/such'], /there is no folder .*no\/such/, helpOf('find')],
  [['import', 'no/such.jsonl'], /no\/such.jsonl: No such file/, NOTHING_THERE, 'IO'],
  [
    ['import', 'bad.jsonl'],
    /no memory in a known format/,
    /^forge-memory import --help says what it reads$/,
    'UNSUPPORTED',
  ],
  [['merge-driver', 'no/a', 'no/b', 'no/c'], /no such file/, NOTHING_THERE, 'IO'],
  [
    ['code', 'index', '/no/such'],
    /is outside of the project/,
    /^name a file or folder inside/,
    'ERR_LATTICE_PATH_OUTSIDE_REPO',
  ],
  [['model', 'use', 'nonsense'], /expected all-MiniLM-L6-v2 or multilingual-e5-small/, /^forge-memory model install /],
  // What only a person may do.
  [['store', 'use', 'nonsense'], /a script cannot choose the shared store/, GIVES_LEAVE, 'UNSUPPORTED'],
  [['review', '--accept', NONE], /a script cannot accept/, GIVES_LEAVE, 'UNSUPPORTED'],
]

test('wrong command lines are answered with a code and the right hint, and write nothing', async (t) => {
  const command = freshCommand(t, { FORGE_AS: '' })
  json(command, ['add', '-t', 'lesson', 'The base fact about the parser'])
  writeFileSync(join(command.project, 'bad.jsonl'), '{"this is": not json\n')
  mkdirSync(join(command.project, 'folder'))
  // A lock says who works here, and nothing about the memory.
  const files = () => filesUnder(command.project).filter((path) => !/locks[/\\]/.test(path))
  const snapshot = () => files().map((path) => [path, readFileSync(join(command.project, path), 'utf8')])
  const before = snapshot()
  assert.ok(WRONG.length >= 78)
  for (const [args, says, hinted, code = 'INVALID_INPUT', input = ''] of WRONG) {
    await t.test(`${args.join(' ')} ${input.length > 0 ? `(${input.length} bytes)` : ''}`, () => {
      const { status, stdout, stderr } = command.run(args, { input })
      assert.deepEqual([status, stdout], [code === 'INVALID_INPUT' ? 2 : 1, ''], stderr)
      const [error, hint, ...more] = stderr.trimEnd().split('\n')
      assert.match(error, says)
      assert.match(error, new RegExp(`^error: .* \\(${code}\\)$`))
      assert.match(hint ?? '', /^hint: /)
      assert.match(hint.replace(/^hint: /, ''), hinted)
      assert.deepEqual(more, [], 'no stack, and nothing else')
      assert.deepEqual(snapshot(), before)
    })
  }
})
