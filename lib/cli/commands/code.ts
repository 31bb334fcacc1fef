import type { Command, Option } from 'commander'
import {
  findProject,
  type LatticeBlastOptions,
  type LatticeChunk,
  type LatticeIndexOptions,
  type LatticeQueryOptions,
  type LatticeSeed,
  latticeBlast,
  latticeCallees,
  latticeCallers,
  latticeIndex,
  latticeQuery,
  latticeStat,
  type ProjectOptions,
} from '../../native.js'
import { keepPastOf } from '../../shared/git-past.js'
import { oneLine } from '../../text/printable.js'
import type { Answer, Respond } from '../answer.js'
import type { CommandEntry } from '../entry.js'
import { asksForJson } from '../json.js'
import { blastText, found, indexText, statText } from '../lattice/pages.js'
import { given, optionsOf } from '../options.js'
import { isTerminal } from '../page/terminal.js'
import { reportWork } from '../page/work.js'

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

type Neighbours = typeof latticeCallers

function configureNeighbours(command: Command, respond: Respond, ask: Neighbours, isCaller = false): void {
  addSeed(command, optionsOf<LatticeSeed>('LatticeSeed')('limit', LIMIT)).action(
    respond((project, name: string | undefined, { id, limit }: SeedFlags): Answer => {
      const answer = ask({ ...seed(name, id), ...given({ limit }), ...project })
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
        const asked = (chunk?: string) =>
          latticeBlast({
            ...seed(chunk === undefined ? name : undefined, chunk),
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
  const { pickOne } = await import('../page/picker.js')
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

function seed(name: string | undefined, id: string | undefined): { name?: string; chunkId?: string } {
  return given({ name, chunkId: id })
}
