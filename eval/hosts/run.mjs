// node eval/hosts/run.mjs [HOST...]: installs real hosts from npm into a temporary folder, sets them up with `forge-memory init`, and runs
// each with a scripted provider on the loopback. Reports for every note whether it was in the request that followed its event. Needs
// the registry, so it is not part of `npm test`.
//
//   --installed DIR        uses hosts that are installed there (DIR/HOST/node_modules) instead of installing them
//   --json                 prints the results as one JSON document
//   --without              deletes the program, also the native one, before the hosts start: their tools must run, and nothing may be said of hooks
//   --terminal             starts the hosts in a terminal, as people do; needs `script` of util-linux
//   --prompts              a person states what outlives the session: is the agent asked to store it, and whose words is a quote; with --terminal
//                          typed in one session, and asked at the end; without, a session of a program for each prompt
//   --acp                  starts the agents as an editor does, over ACP, through `forge-memory acp`, and without `init`
//   --record               writes what arrived into lib/init/measured.json
//   --show                 also prints the output of the hosts
//   --payloads FILE        appends the payloads that the hosts pass to their hooks to FILE

import { execFileSync, spawn, spawnSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, delimiter, dirname, join, resolve } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { converse } from './acp.mjs'
import { HOSTS, PROMPT, STEPS } from './hosts.mjs'
import { ownProgram, PROGRAM } from './program.mjs'
import { heard, REPAIR, REPAIRED, receiptsOn, STATED, script } from './prompts.mjs'
import { startProvider } from './provider.mjs'
import { inTerminal } from './terminal.mjs'

const MEASURED = fileURLToPath(new URL('../../lib/init/measured.json', import.meta.url))
const HOST_TIMEOUT_MS = 120_000

/** The notes of the project, each with a unique word. */
const NOTES = [
  ['prompt', 'decision', 'The ledger export skips rounding, as the auditors asked: canary-prompt.'],
  ['file', 'gotcha', `${STEPS.FILE} must be closed last: canary-file.`],
  ['command', 'gotcha', `Before \`${STEPS.COMMAND}\` the tables must be locked: canary-command.`],
  ['failure', 'gotcha', 'ERR_LEDGER_FROZEN: thaw it with the thaw script first: canary-failure.'],
]

/** The last request, by its number of tool results, in which a note must appear. */
const DUE = { start: 0, prompt: 0, file: 2, command: 3, failure: 4 }

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    installed: { type: 'string' },
    json: { type: 'boolean', default: false },
    without: { type: 'boolean', default: false },
    acp: { type: 'boolean', default: false },
    prompts: { type: 'boolean', default: false },
    terminal: { type: 'boolean', default: false },
    record: { type: 'boolean', default: false },
    show: { type: 'boolean', default: false },
    payloads: { type: 'string' },
  },
})

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'forge-hosts-')))
const results = []
try {
  const way = options.acp ? 'acp' : options.terminal ? 'terminal' : 'args'
  const all = Object.keys(HOSTS).filter((id) => HOSTS[id][way] !== undefined)
  for (const id of positionals.length === 0 ? all : positionals) results.push(await tried(id))
} finally {
  await removed(folder)
}
if (options.json) process.stdout.write(`${JSON.stringify(results)}\n`)
else for (const result of results) process.stdout.write(`${lineOf(result)}\n`)
if (options.record && !options.without && !options.acp && !options.prompts) record()
process.exitCode = results.every(({ channels = {} }) => Object.values(channels).every(Boolean)) ? 0 : 1

/** Writes the cells of hosts that came to the end; what is known of others stays. */
function record() {
  const known = JSON.parse(readFileSync(MEASURED, 'utf8'))
  const date = new Date().toISOString().slice(0, 10)
  for (const { id, version, channels, problem } of results) {
    if (problem !== undefined) continue
    const delivered = Object.keys(channels).filter((name) => channels[name])
    known[id] = { version, date, delivered }
  }
  const text = JSON.stringify(known, null, 2).replace(/\[[^\]]*\]/g, (list) =>
    list.replace(/\s+/g, ' ').replace(/ ?([[\]]) ?/g, '$1'),
  )
  writeFileSync(MEASURED, `${text}\n`)
}

/** What learns from a session runs on after its host, and may still write. */
async function removed(path) {
  for (let left = 20; left > 0 && existsSync(path); left--) {
    try {
      rmSync(path, { recursive: true, force: true })
    } catch (error) {
      if (left === 1) throw error
      await setTimeout(500)
    }
  }
}

function lineOf({ host, version, channels, problem }) {
  const parts = Object.entries(channels).map(([name, arrived]) => `${name} ${arrived ? 'arrived' : 'MISSING'}`)
  return `${host} ${version}: ${parts.join(', ')}${problem === undefined ? '' : ` (${problem})`}`
}

/** A host that cannot be installed keeps no other from being tried. */
async function tried(id) {
  const host = HOSTS[id]
  if (host === undefined) throw new Error(`${id}: not a host; expected ${Object.keys(HOSTS).join(', ')}`)
  try {
    if (options.acp) return await tryOverAcp(id, { ...host, ...host.acp })
    return await tryHost(id, options.terminal ? { ...host, ...host.terminal } : host)
  } catch (error) {
    return { host: host.name, version: 'unknown', channels: { session: false }, problem: error.message }
  }
}

async function tryHost(id, host) {
  const bin = join(install(id, host), 'node_modules', '.bin', host.bin)
  if (options.without) return tryWithout(id, host, bin)
  if (options.prompts) return tryPrompts(id, host, bin)
  // A note injected at the start of a session is not injected again, so the other events are tested in a session without that hook.
  const started = await play(id, host, runner(bin, host), {})
  const rest = await play(id, host, runner(bin, host), { 'session-start': false })
  const channels = { start: firstTurn(started.requests, /canary-file/) <= DUE.start }
  for (const [name] of NOTES) {
    const turn = firstTurn(rest.requests, new RegExp(`canary-${name}`))
    channels[name] = turn <= DUE[name]
  }
  Object.assign(channels, learnedFrom(started))
  for (const name of host.without ?? []) delete channels[name]
  const version = versionOf(join(dirname(dirname(bin)), host.npm))
  const turns = Math.max(-1, ...rest.requests.map(({ turn }) => turn))
  const isWhole = turns === host.turns('').length
  return {
    id,
    host: host.name,
    version,
    channels,
    ...(isWhole ? {} : { problem: `the host stopped after ${turns} tools` }),
  }
}

/** Two prompts to an agent that an editor starts: notes about tool calls come with the second. */
async function tryOverAcp(id, host) {
  const bin = join(install(id, host), 'node_modules', '.bin', host.bin)
  const drive = (cwd, env) =>
    converse([bin, ...host.args], [PROMPT, 'Go on.'], { cwd, env, signal: AbortSignal.timeout(HOST_TIMEOUT_MS) })
  const started = await play(id, host, drive, {})
  const rest = await play(id, host, drive, { 'session-start': false })
  const last = rest.requests.at(-1)?.text ?? ''
  const channels = { start: firstTurn(started.requests, /canary-file/) <= DUE.start }
  for (const [name] of NOTES) channels[name] = last.includes(`canary-${name}`)
  channels.prompt &&= firstTurn(rest.requests, /canary-prompt/) <= DUE.prompt
  Object.assign(channels, learnedFrom(started))
  for (const name of ['store', ...(host.without ?? [])]) delete channels[name]
  return { id, host: `${host.name} over ACP`, version: versionOf(join(dirname(dirname(bin)), host.npm)), channels }
}

/** What the memory has of a session after it has ended. */
function learnedFrom({ home, project, environment }) {
  const ask = (...args) =>
    JSON.parse(execFileSync(process.execPath, [PROGRAM, '--json', ...args], { cwd: project, env: environment }))
  const sessions = join(home, '.forge/sessions')
  return {
    marks: ask('find', 'canary-mark').hits.some(({ text }) => text.includes('canary-mark')),
    end: !existsSync(sessions) || readdirSync(sessions).length === 0,
    store: ask('agent', 'history', 'search').hits.length > 0,
  }
}

/** What the person states at the prompt, and what came of it. */
async function tryPrompts(id, host, bin) {
  const stated = await spoken(id, host, bin, STATED)
  const repaired = await spoken(id, host, bin, REPAIRED)
  const channels = heard(stated, repaired, { ...host, isTyped: options.terminal })
  const receipts = stated.flatMap(({ said }) => receiptsOn(said))
  return { id, host: host.name, version: versionOf(join(dirname(dirname(bin)), host.npm)), channels, receipts }
}

/** Prompts that a person types in one session, or of which a program starts a session for each. */
async function spoken(id, host, bin, all) {
  const sessions = []
  for (const exchanges of options.terminal ? [all] : all.map((exchange) => [exchange])) {
    const ends = []
    const isDueAfter = (exchange) => () => ends.some(({ name }) => name === exchange.name)
    const [{ prompt }, ...more] = exchanges
    const prompts = more.map((next, at) => ({ prompt: next.prompt, isDue: isDueAfter(exchanges[at]) }))
    const args = host.args.map((arg) => (arg === PROMPT ? prompt : arg))
    const drive = (cwd, env) => {
      const given = { cwd, env, timeout: HOST_TIMEOUT_MS, prompts, isOver: isDueAfter(exchanges.at(-1)) }
      return options.terminal ? inTerminal([bin, ...args], given) : runHost(bin, args, cwd, env)
    }
    const turns = (project) => script(exchanges, host.turns(project), ends)
    const { requests, said, project } = await play(id, { ...host, turns }, drive, {})
    const journal = readFileSync(join(project, '.forge/memory-captures.jsonl'), 'utf8')
    const records = journal
      .trim()
      .split('\n')
      .slice(NOTES.length)
      .map((line) => JSON.parse(line))
    sessions.push({ exchanges, ends, requests, said, records })
  }
  return sessions
}

/** A session on a machine that has the files of `init`, and not the program. */
async function tryWithout(id, host, bin) {
  const { requests, said, project } = await play(id, host, runner(bin, host), {})
  const edited = readFileSync(join(project, STEPS.FILE), 'utf8')
  const channels = {
    'edit that ran': edited.includes('opened'),
    'command that ran': firstTurn(requests, /seeded\b/) <= DUE.command,
    'silence of hooks': !/hook[^\n]*(fail|error|denied|not found)|(fail|error|denied)[^\n]*hook/i.test(said),
  }
  return { host: host.name, version: versionOf(join(dirname(dirname(bin)), host.npm)), channels }
}

/** Returns the first request with a note, by its number of tool results; infinity when there is none. */
function firstTurn(requests, note) {
  return requests.find(({ text }) => note.test(text))?.turn ?? Number.POSITIVE_INFINITY
}

function install(id, { npm }) {
  if (options.installed !== undefined) return join(options.installed, id)
  const target = join(folder, 'installed', id)
  mkdirSync(target, { recursive: true })
  writeFileSync(join(target, 'package.json'), '{"private":true}')
  execFileSync('npm', ['install', '--no-audit', '--no-fund', npm], {
    cwd: target,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  return target
}

function versionOf(path) {
  return JSON.parse(readFileSync(join(path, 'package.json'), 'utf8')).version
}

/** One session of a host in a project of its own. Returns the requests that the provider got. */
async function play(id, host, drive, hooks) {
  const home = mkdtempSync(join(folder, `${id}-`))
  const project = join(home, 'project')
  const environment = environmentIn(home)
  makeProject(project, hooks, environment, id)
  const provider = await startProvider(host.turns(project))
  try {
    host.prepare?.(home, provider.address)
    if (options.terminal) host.settle?.(home)
    if (options.payloads !== undefined) mkdirSync(join(home, '.forge/bin/forge-memory-hook'), { recursive: true })
    if (options.without)
      for (const each of ['bin/forge-memory', '.forge/bin']) rmSync(join(home, each), { recursive: true })
    const said = await drive(project, { ...environment, ...host.environment(provider.address) }, provider.hasEnded)
    if (options.show) process.stderr.write(`${said}\n`)
    return { requests: provider.requests, said, home, project, environment }
  } finally {
    await provider.close()
  }
}

/** An environment without the user's own settings. Hooks get a long deadline, because this tests whether channels work, not their speed. */
function environmentIn(home) {
  const own = { HOME: home, USERPROFILE: home, LANG: 'C.UTF-8', TERM: 'dumb' }
  // The native program is started by its path, so nothing can be put before it: hooks start Node then.
  const way = options.payloads === undefined ? {} : { FORGE_MEMORY_HOOK: 'node' }
  return { ...own, ...way, PATH: pathWith(home), FORGE_MEMORY_HOOK_DEADLINE_MS: '4000' }
}

/** Hosts start `forge-memory` or `node` by name. */
function pathWith(home) {
  const kept =
    options.payloads === undefined ? '' : `[ "$1" != hook ] || exec < <(tee -a '${resolve(options.payloads)}')\n`
  return [ownProgram(home, kept), dirname(process.execPath), '/usr/local/bin', '/usr/bin', '/bin'].join(delimiter)
}

function makeProject(project, hooks, env, id) {
  mkdirSync(join(project, 'src'), { recursive: true })
  mkdirSync(join(project, 'scripts'))
  writeFileSync(join(project, STEPS.FILE), 'export const state = "open"\n')
  writeFileSync(join(project, 'scripts/seed.mjs'), 'console.log("seeded")\n')
  writeFileSync(
    join(project, 'scripts/settle.mjs'),
    'console.error("Error: ERR_LEDGER_FROZEN the ledger is frozen")\nprocess.exit(1)\n',
  )
  writeFileSync(join(project, 'scripts/repair.mjs'), REPAIR)
  writeFileSync(join(project, '.forge.json'), JSON.stringify({ hooks }))
  spawnSync('git', ['init', '-q', project], { env })
  const forge = (...args) => execFileSync(process.execPath, [PROGRAM, ...args], { cwd: project, env })
  for (const [, type, text] of NOTES) forge('capture', '--type', type, text)
  if (!options.acp) forge('init', '--scope', 'project', '--agent', id, '--yes')
}

function runner(bin, { args }) {
  return (cwd, env, isOver) =>
    options.terminal
      ? inTerminal([bin, ...args], { cwd, env, timeout: HOST_TIMEOUT_MS, isOver })
      : runHost(bin, args, cwd, env)
}

function runHost(bin, args, cwd, env) {
  if (!existsSync(bin)) throw new Error(`${basename(bin)} is not installed`)
  const child = spawn(bin, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], timeout: HOST_TIMEOUT_MS })
  const said = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => said.push(chunk))
  return new Promise((end, fail) => {
    child.on('error', fail).on('close', (status) => {
      const text = Buffer.concat(said).toString('utf8')
      end(`${text}\nexit ${status}`)
    })
  })
}
