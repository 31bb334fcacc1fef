import { join } from 'node:path'
import type { Command, Option } from 'commander'
import { type Answer, asksForJson, type CommandEntry, type Respond } from '../../cli/command.js'
import { given, optionsOf } from '../../cli/options.js'
import { bar } from '../../cli/page/bar.js'
import { dateTime } from '../../cli/page/moment.js'
import type { Page } from '../../cli/page/page.js'
import { type CellLink, flexible, pairs, right, table } from '../../cli/page/table.js'
import { isTerminal } from '../../cli/page/terminal.js'
import { reportWork } from '../../cli/page/work.js'
import {
  findProject,
  type LatticeAnswer,
  type LatticeBlast,
  type LatticeBlastOptions,
  type LatticeChunk,
  type LatticeIndexOptions,
  type LatticeIndexOutcome,
  type LatticeQueryOptions,
  type LatticeSeed,
  type LatticeStat,
  latticeBlast,
  latticeCallees,
  latticeCallers,
  latticeIndex,
  latticeQuery,
  latticeStat,
  type ProjectOptions,
} from '../../native.js'
import { keepPastOf } from '../../shared/git-past.js'
import { bytes, counted, oneLine } from '../../text/printable.js'

export const entry: CommandEntry = {
  group: 'code',
  summary: 'index the code, and query definitions and callers',
  subcommands: {
    index: ['forge-memory code index', 'forge-memory code index src --since HEAD'],
    stat: ['forge-memory code stat', 'forge-memory code stat -j'],
    query: ['forge-memory code query parse date', 'forge-memory code query -n 5 --kind function parse'],
    callers: ['forge-memory code callers parseDate', 'forge-memory code callers Stack.push -n 5'],
    callees: ['forge-memory code callees parseDate', 'forge-memory code callees Stack.push -n 5'],
    blast: ['forge-memory code blast parseDate', 'forge-memory code blast Stack.push --direction callers --depth 2'],
  },
  isList: true,
  subwork: { index: { verb: 'indexing', unit: 'files', kept: 'the index is as it was' } },
}

type IndexFlags = Pick<LatticeIndexOptions, 'since' | 'maxSeconds'> & { maxMemory?: number }
type QueryFlags = Pick<LatticeQueryOptions, 'language' | 'kind' | 'limit'> & { file?: string }
type SeedFlags = Pick<LatticeSeed, 'limit'> & { id?: string }
type BlastFlags = SeedFlags & Pick<LatticeBlastOptions, 'direction' | 'depth'>

const LIMIT = '-n, --limit <count>'
const indexed = optionsOf<LatticeIndexOptions>('LatticeIndexOptions')
const asked = optionsOf<LatticeQueryOptions>('LatticeQueryOptions')
const walked = optionsOf<LatticeBlastOptions>('LatticeBlastOptions')

export function configure(command: Command, respond: Respond): void {
  configureIndex(command.command('index').description('Update the index of the code.'), respond)
  command
    .command('stat')
    .description('Show the size of the index, and the most called functions.')
    .action(
      respond((project): Answer => {
        const stat = latticeStat(project)
        return { document: stat, text: (page) => statText(stat, page, findProject(project)) }
      }),
    )
  configureQuery(command.command('query').description('Find definitions by words.'), respond)
  configureNeighbours(
    command.command('callers').description('Show what calls a definition.'),
    respond,
    latticeCallers,
    true,
  )
  configureNeighbours(command.command('callees').description('Show what a definition calls.'), respond, latticeCallees)
  configureBlast(
    command.command('blast').description('Show everything that a change to a definition can affect.'),
    respond,
  )
}

function configureIndex(command: Command, respond: Respond): void {
  command
    .argument('[paths...]', 'only files in or under these')
    .addOption(indexed('since', '--since <revision>'))
    .addOption(indexed('maxSeconds', '--max-seconds <count>'))
    .addOption(indexed('maxMemoryMb', '--max-memory <MiB>'))
    .action(
      respond(async (project, paths: string[], { maxMemory, ...flags }: IndexFlags): Promise<Answer> => {
        const only = paths.length > 0 ? { paths } : {}
        const limits = given({ ...flags, maxMemoryMb: maxMemory })
        const outcome = await latticeIndex({ ...limits, ...only, ...project }, (done, total) => {
          reportWork({ done, total })
        })
        await keepPastOf(findProject(project))
        return { document: outcome, text: () => indexText(outcome) }
      }),
    )
}

function configureQuery(command: Command, respond: Respond): void {
  command
    .argument('[words...]', 'the words to look for; parts of identifiers count')
    .addOption(asked('language', '--language <name>'))
    .addOption(asked('kind', '--kind <kind>'))
    .addOption(asked('filePath', '--file <part>'))
    .addOption(asked('limit', LIMIT))
    .action(
      respond((project, words: string[], { file, ...flags }: QueryFlags): Answer => {
        const answer = latticeQuery({ query: words.join(' '), ...given({ ...flags, filePath: file }), ...project })
        return { document: answer, text: (page) => found(answer, page, findProject(project)) }
      }),
    )
}

function configureNeighbours(command: Command, respond: Respond, ask: typeof latticeCallers, isCaller = false): void {
  addSeed(command, optionsOf<LatticeSeed>('LatticeSeed')('limit', LIMIT)).action(
    respond((project, name: string | undefined, { id, limit }: SeedFlags): Answer => {
      const answer = ask({ ...given({ name, chunkId: id, limit }), ...project })
      return { document: answer, text: (page) => found(answer, page, findProject(project), isCaller) }
    }),
  )
}

function configureBlast(command: Command, respond: Respond): void {
  addSeed(command, walked('limit', LIMIT))
    .addOption(walked('direction', '--direction <way>', 'the direction to follow (default: callers)'))
    .addOption(walked('depth', '--depth <count>'))
    .action(
      respond(async (project: ProjectOptions, name: string | undefined, flags: BlastFlags): Promise<Answer> => {
        const { id, direction = 'callers', ...limits } = flags
        const asked = (chunkId?: string) =>
          latticeBlast({
            ...given(chunkId === undefined ? { name } : { chunkId }),
            direction,
            ...given(limits),
            ...project,
          })
        const all = asked(id)
        const chosen = await oneOf(all.nodes.filter(({ distance }) => distance === 0))
        const blast = chosen === undefined ? all : asked(chosen)
        return { document: blast, text: (page) => blastText(blast, page, findProject(project)) }
      }),
    )
}

/** Lets a person choose among definitions with the same name; undefined when there is nothing to choose, or nobody. */
async function oneOf(seeds: LatticeChunk[]): Promise<string | undefined> {
  if (seeds.length < 2 || !isTerminal(0) || !isTerminal(1) || asksForJson()) return undefined
  const { pickOne } = await import('../../cli/page/picker.js')
  const label = ({ owner, name, filePath, startLine }: LatticeChunk) =>
    `${oneLine(owner === undefined ? name : `${owner}.${name}`)}  ${oneLine(filePath)}:${startLine}`
  const choices = seeds.map((seed) => ({ value: seed.id, label: label(seed) }))
  return (
    (await pickOne(`${seeds.length} definitions have this name. Which one?`, [
      ...choices,
      { value: '', label: 'All of them' },
    ])) || undefined
  )
}

function addSeed(command: Command, limit: Option): Command {
  return command
    .argument('[name]', 'a name, optionally with its type: push, Stack.push')
    .option('--id <chunk>', 'the id of a chunk, instead of a name')
    .addOption(limit)
}

const COLUMNS = ['WHERE', 'KIND', 'NAME', flexible('SIGNATURE')]

function indexText(outcome: LatticeIndexOutcome): string {
  const { filesIndexed, filesChanged, filesRemoved, chunks, edges } = outcome
  const lines = [
    `${counted(filesIndexed, 'file')}: ${counted(filesChanged, 'changed', 'changed')}, ${filesRemoved} removed`,
    `${counted(chunks, 'chunk')}, ${counted(edges, 'edge')}`,
  ]
  const skipped = Object.entries(outcome.skipped).map(([reason, count]) => `${count} ${reason}`)
  if (skipped.length > 0) lines.push(`skipped: ${skipped.sort().join(', ')}`)
  if (outcome.limit !== undefined) lines.push(limitText(outcome.limit))
  return lines.join('\n')
}

/** Warns that a run was incomplete, with a way to complete it. */
function limitText(limit: 'time' | 'memory'): string {
  const option = limit === 'time' ? '--max-seconds' : '--max-memory'
  return `incomplete: the run reached the ${limit} limit; run it again, or with a higher ${option}`
}

/** Renders hits. Callers are shown at the line of the call, all others at their first line. */
function found(answer: LatticeAnswer, page: Page, project: string, isCaller = false): string {
  const names = answer.unresolvedNames ?? []
  const outside = names.length > 0 ? [`outside: ${names.map(oneLine).join(', ')}`] : []
  if (answer.chunks.length === 0) return [oneLine(answer.message), ...outside].join('\n\n')
  return [rows(answer.chunks, page, project, isCaller), ...outside, page.paint('quiet', oneLine(answer.message))].join(
    '\n\n',
  )
}

function blastText(blast: LatticeBlast, page: Page, project: string): string {
  if (blast.nodes.length === 0) return oneLine(blast.message)
  const columns = [right('AWAY'), 'WHERE', flexible('PATH')]
  const arrow = page.unicode ? ' → ' : ' > '
  const lines = blast.nodes.map((node) => [
    String(node.distance ?? 0),
    place(node),
    oneLine((node.path ?? []).join(arrow)) + how(node, page),
  ])
  const links = blast.nodes.map((node) => linkTo(node, project))
  const seeds = blast.nodes.filter(({ distance }) => distance === 0)
  const choice = seeds.map(({ id, filePath, startLine }) => `  --id ${id}  ${oneLine(filePath)}:${startLine}`)
  const among =
    seeds.length < 2 ? [] : [`${seeds.length} definitions have this name; one of them alone:`, ...choice, '']
  return [table(page, columns, lines, links), '', ...among, page.paint('quiet', oneLine(blast.message))].join('\n')
}

function statText(stat: LatticeStat, page: Page, project: string): string {
  if (stat.lastIndexedAt === null) return 'there is no index yet: run forge-memory code index'
  const ways = Object.entries(stat.resolved).sort(byCount)
  const facts: [string, string][] = [
    ['files', `${stat.filesIndexed}, ${stat.filesSkipped} skipped (too large, binary or not readable)`],
    ['chunks', `${stat.chunks} (files and their definitions)`],
    [
      'edges',
      `${stat.edges} (calls and imports): ${ways.map(([way, count]) => `${count} ${WAYS[way] ?? way}`).join(', ')}`,
    ],
    ['size', bytes(stat.indexBytes)],
    ['last change', dateTime(stat.lastIndexedAt)],
  ]
  const languages = Object.entries(stat.languages).sort(byCount)
  const largest = languages[0]?.[1] ?? 0
  const languageRows = languages.map(([name, count]) => [
    name,
    String(count),
    page.paint('accent', bar(page, count, largest)),
  ])
  const hot = stat.hottest.map(({ chunk, callers }) => [String(callers), oneLine(chunk.name), place(chunk)])
  if (stat.limit !== undefined) facts.push(['limit', limitText(stat.limit)])
  const parts = [pairs(page, facts), table(page, ['LANGUAGE', right('CHUNKS'), ''], languageRows)]
  if (hot.length > 0)
    parts.push(
      table(
        page,
        [right('CALLERS'), flexible('HOTTEST'), 'WHERE'],
        hot,
        stat.hottest.map(({ chunk }) => linkTo(chunk, project)),
      ),
    )
  return parts.join('\n\n')
}

/** How the target of an edge was found. */
const WAYS: Record<string, string> = {
  exact: 'certain, in the same file',
  import: 'certain, by an import',
  name: 'likely, by the name alone',
  none: 'out of the project, or not known',
}

/** The largest first; equal ones by name, so that the same index is shown in the same way. */
function byCount([one, a]: [string, number], [other, b]: [string, number]): number {
  return b - a || (one < other ? -1 : 1)
}

function rows(chunks: LatticeChunk[], page: Page, project: string, isCaller: boolean): string {
  const lines = chunks.map((chunk) => [
    place(chunk, isCaller ? chunk.callLine : undefined),
    chunk.kind,
    oneLine(chunk.owner ? `${chunk.owner}.${chunk.name}` : chunk.name) + how(chunk, page),
    oneLine(chunk.signature),
  ])
  const links = chunks.map((chunk) => linkTo(chunk, project, isCaller ? chunk.callLine : undefined))
  return table(page, COLUMNS, lines, links)
}

function linkTo(chunk: LatticeChunk, project: string, line = chunk.startLine): CellLink {
  return { text: place(chunk, line), path: join(project, chunk.filePath) }
}

/** Formats `path:line`, which terminals and editors make clickable. */
function place(chunk: LatticeChunk, line = chunk.startLine): string {
  return `${oneLine(chunk.filePath)}:${line}`
}

function how({ resolved, candidates, stale }: LatticeChunk, page: Page): string {
  const marks = [
    resolved === 'name' ? (candidates ? `by name, one of ${candidates}` : 'by name') : '',
    stale === undefined ? '' : `file ${stale}`,
  ].filter((mark) => mark !== '')
  return marks.length > 0 ? ` ${page.paint('quiet', `(${marks.join('; ')})`)}` : ''
}
