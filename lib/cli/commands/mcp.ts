import type { Command } from 'commander'
import { loadSearches } from '../../api/shared-memory.js'
import { answerEarly } from '../../mcp/early-answer.js'
import type { ToolSet } from '../../mcp/index.js'
import { agentStanding, findProject, type ProjectOptions, projectAt } from '../../native.js'
import { variable } from '../../shared/environment.js'
import { keepPastOf } from '../../shared/git-past.js'
import { given } from '../../shared/given.js'
import { keepEmbedded } from '../../shared/vector-keeper.js'
import { type Answer, addNote, type CommandEntry, type Respond } from '../command.js'
import { Failure } from '../failure.js'
import { number } from '../options.js'

export const entry: CommandEntry = {
  group: 'agent',
  summary: 'serve the memory to agents over MCP',
  examples: ['forge-memory agent mcp --tools full', 'FORGE_MEMORY_TOKEN=secret forge-memory agent mcp --http 4100'],
  isServer: true,
}

interface Flags {
  http?: number
  host?: string
  tools?: string
  structured?: boolean
}

export function configure(command: Command, respond: Respond): void {
  addNote(command, NOTE)
    .option('--http <port>', 'serve streamable HTTP on this port, instead of standard input and output', number)
    .option('--host <address>', 'with --http: the address to listen on (default: 127.0.0.1)')
    .option(
      '--tools <names>',
      'the tools to offer: core, full, plan-forge, or names separated by commas (default: core)',
    )
    .option('--structured', 'also return structured content, and publish its schemas')
    .action(
      respond((project, { http, ...flags }: Flags) => {
        if (http !== undefined) return serveHttp(project, http, flags)
        if (flags.host !== undefined) throw new Failure('INVALID_INPUT', '--host requires --http')
        return serveStdio(project, flags)
      }),
    )
}

const NOTE =
  'The token for HTTP is taken from FORGE_MEMORY_TOKEN; without it, a new one is made and printed at every start.'

async function optionsOf({ tools, structured = false }: Flags, load: (names: string) => Promise<ToolSet>) {
  return { structured, ...(tools === undefined ? {} : { tools: await load(tools) }) }
}

/** Standard output carries the protocol, so nothing else may be written to it. */
async function serveStdio(project: ProjectOptions, flags: Flags): Promise<Answer> {
  const ended = new Promise<void>((resolve) => {
    process.stdin.once('end', resolve).once('close', resolve)
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve())
  })
  // Another profile may have other instructions; a memory that is switched off has no tools.
  const isPlain = flags.tools === undefined && agentStanding(project).state !== 'off'
  const answered = isPlain ? await answerEarly(process.stdin, process.stdout, project.projectDir) : undefined
  const { createMcpServer, loadTools } = await import('../../mcp/index.js')
  const options = { ...project, ...(await optionsOf(flags, loadTools)) }
  const keepers = new Map<string, Promise<Keeper>>()
  const onproject = (projectDir: string) => {
    if (!keepers.has(projectDir)) keepers.set(projectDir, keep({ projectDir }))
  }
  const handle = createMcpServer(options).serveStdio({ ...given({ answered }), onproject, onerror: complain })
  // A client reads the first answer, and asks for the tools, before it calls one.
  await loadSearches()
  await ended
  await handle.close()
  await Promise.all([...keepers.values()].map(async (keeper) => (await keeper)()))
  return { document: undefined, text: () => '', bytes: () => new Uint8Array() }
}

async function serveHttp(project: ProjectOptions, port: number, flags: Flags): Promise<Answer> {
  const { createMcpServer, loadTools } = await import('../../mcp/index.js')
  const options = { ...project, ...(await optionsOf(flags, loadTools)) }
  const token = variable('FORGE_MEMORY_TOKEN')
  const given = token === undefined || token === '' ? {} : { token }
  const host = flags.host === undefined ? {} : { host: flags.host }
  const address = await createMcpServer(options).serveHttp({ port, ...host, ...given, onerror: complain })
  const shown = given.token === undefined ? `\nAuthorization: Bearer ${address.token}` : ''
  process.stderr.write(`MCP server: ${address.url}${shown}\n`)
  // A client over HTTP names no roots: it works in the project in which the user started the server.
  const isSomewhere = project.projectDir !== undefined || projectAt().problem === undefined
  const stop = isSomewhere ? await keep(project) : undefined
  await new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve())
  })
  await address.close()
  await stop?.()
  return { document: { url: address.url }, text: 'Stopped.' }
}

/** Stops the work beside the server for a project. */
type Keeper = () => Promise<void>

/** Delivers captures, computes vectors and asks git about the past of a project while the server runs. */
async function keep(project: ProjectOptions): Promise<Keeper> {
  const { keepDrained } = await import('../../mcp/index.js')
  const stopDraining = keepDrained(project)
  const vectors = keepEmbedded(project)
  const stopAsking = keepPast(project)
  return async () => {
    stopAsking()
    await stopDraining()
    await vectors.close()
  }
}

/** To start git takes the main thread 10 ms, for which the first answers would wait; so does comparing the copy of the program of hooks. */
const PAST_AFTER_MS = 500

/**
 * Asks git about renamed and removed files, in parallel with the requests after the first ones. Returns a function that
 * stops it.
 */
function keepPast(project: ProjectOptions): () => void {
  const ending = new AbortController()
  const start = setTimeout(() => {
    void import('../../init/hook-program.js').then(({ tryToKeepHookCopy }) => tryToKeepHookCopy())
    void keepPastOf(findProject(project), ending.signal)
  }, PAST_AFTER_MS)
  start.unref()
  return () => {
    clearTimeout(start)
    ending.abort()
  }
}

function complain({ message }: Error): void {
  process.stderr.write(`warning: ${message}\n`)
}
