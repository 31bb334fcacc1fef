import type { Command } from 'commander'
import { findProject, type ProjectOptions } from '../../native.js'
import { keepPastOf } from '../../shared/git-past.js'
import type { Answer, Respond } from '../answer.js'
import { number } from '../options.js'

interface Flags {
  http?: number
  tools?: string
}

export function configure(command: Command, respond: Respond): void {
  command
    .option(
      '--http <port>',
      'serve streamable HTTP on this port of 127.0.0.1, instead of standard input and output',
      number,
    )
    .option('--tools <profile>', 'which tools there are: full, plan-forge (default: full)')
    .addHelpText('after', HELP)
    .action(
      respond((project, { http, tools }: Flags) =>
        http === undefined ? serveStdio(project, tools) : serveHttp(project, http, tools),
      ),
    )
}

const HELP = `
The token for HTTP is taken from FORGE_MEMORY_TOKEN; without it, a new one is made and printed at every start.`

/** Standard output belongs to the protocol: nothing else is written there. */
async function serveStdio(project: ProjectOptions, profile: string | undefined): Promise<Answer> {
  const { createMcpServer, keepDrained, loadTools } = await import('../../mcp/index.js')
  const tools = profile === undefined ? {} : { tools: await loadTools(profile) }
  const ended = new Promise<void>((resolve) => {
    process.stdin.once('end', resolve).once('close', resolve)
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve())
  })
  const handle = createMcpServer({ ...project, ...tools }).serveStdio({ onerror: complain })
  const stopDraining = keepDrained(project)
  const stopAsking = keepPast(project)
  await ended
  stopAsking()
  await handle.close()
  await stopDraining()
  return { document: undefined, text: () => '', bytes: () => new Uint8Array() }
}

async function serveHttp(project: ProjectOptions, port: number, profile: string | undefined): Promise<Answer> {
  const { createMcpServer, keepDrained, loadTools } = await import('../../mcp/index.js')
  const tools = profile === undefined ? {} : { tools: await loadTools(profile) }
  const token = process.env.FORGE_MEMORY_TOKEN
  const given = token === undefined || token === '' ? {} : { token }
  const address = await createMcpServer({ ...project, ...tools }).serveHttp({ port, ...given, onerror: complain })
  const shown = given.token === undefined ? `\nAuthorization: Bearer ${address.token}` : ''
  process.stderr.write(`MCP server: ${address.url}${shown}\n`)
  const stopDraining = keepDrained(project)
  const stopAsking = keepPast(project)
  await new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve())
  })
  stopAsking()
  await address.close()
  await stopDraining()
  return { document: { url: address.url }, text: () => 'Stopped.' }
}

/** Has git asked about files that are not there any more, beside the first requests; returns what stops that. */
function keepPast(project: ProjectOptions): () => void {
  const ending = new AbortController()
  void keepPastOf(findProject(project), ending.signal)
  return () => ending.abort()
}

function complain({ message }: Error): void {
  process.stderr.write(`warning: ${message}\n`)
}
