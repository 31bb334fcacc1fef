import { z } from 'zod'
import { declared } from '../../mcp/answer/declared.js'
import { budgetField, fitLines } from '../../mcp/answer/notes.js'
import { defineTool } from '../../mcp/answer/tool.js'
import {
  type LatticeAnswer,
  type LatticeBlast,
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
} from '../../native.js'
import { given } from '../../shared/given.js'
import { asLine } from '../../shared/line.js'
import { counted } from '../../text/printable.js'

const chunkSchema = () =>
  z.looseObject(
    declared<LatticeChunk>('LatticeChunk').bare('id', 'name', 'kind', 'filePath', 'startLine', 'endLine', 'signature'),
  )
const answerSchema = () =>
  z.object({
    chunks: z.array(chunkSchema()),
    ...declared<LatticeAnswer>('LatticeAnswer').bare('total', 'truncated', 'unresolvedNames', 'message'),
  })

const READS = { readOnlyHint: true, idempotentHint: true, openWorldHint: false }
const seed = declared<LatticeSeed>('LatticeSeed')

/** Renders a definition as one line with `path:line`, which editors open. */
function lineOf(chunk: LatticeChunk): string {
  const { filePath, startLine, endLine, kind, name, signature, resolved, candidates, distance } = chunk
  const doubt = candidates === undefined ? '' : `, one of ${candidates}`
  const how = resolved === undefined ? '' : ` [${resolved}${doubt}]`
  const far = distance === undefined ? '' : `${distance}  `
  return asLine(`${far}${filePath}:${startLine}-${endLine} ${kind} ${name}${how}: ${signature}`)
}

/** The definitions for which the budget has room: as lines below the message, and as fields. */
function fitted(chunks: LatticeChunk[], told: LatticeAnswer | LatticeBlast, budget: number | undefined) {
  const { total, truncated, message } = told
  const { lines, shown } = fitLines(chunks.map(lineOf), budget)
  const rest = shown < total ? [`${shown} of ${total} shown`] : []
  return {
    text: [message, ...lines, ...rest].join('\n'),
    kept: chunks.slice(0, shown).map((chunk) => ({ ...chunk })),
    facts: { total, truncated: truncated || shown < chunks.length, message },
  }
}

function answerWith(answer: LatticeAnswer, budget: number | undefined) {
  const { text, kept, facts } = fitted(answer.chunks, answer, budget)
  return { text, structured: { chunks: kept, ...given({ unresolvedNames: answer.unresolvedNames }), ...facts } }
}

const graphOf = ({ chunks, edges }: { chunks: number; edges: number }) =>
  `${counted(chunks, 'definition')}, ${counted(edges, 'edge')}`

function seedTool(name: string, title: string, description: string, ask: typeof latticeCallers) {
  return defineTool({
    name,
    title,
    description,
    input: z.strictObject({ ...seed.fields('name', 'chunkId', 'limit'), budget: budgetField }),
    output: answerSchema,
    annotations: READS,
    run({ budget, ...seed }, { projectDir }) {
      return answerWith(ask(given({ ...seed, projectDir })), budget)
    },
  })
}

/** In the order in which clients list them. */
export const tools = [
  defineTool({
    name: 'forge_lattice_index',
    title: 'Index the code',
    description: `Read the code of the project into the graph of definitions and calls; only what changed is read again.
USE FOR: once before the first query, and after larger changes.
DO NOT USE FOR: every query (answers say when a file changed since).`,
    input: z.strictObject(declared<LatticeIndexOptions>('LatticeIndexOptions').fields('paths', 'since')),
    output: () => z.looseObject({ filesIndexed: z.number(), chunks: z.number(), edges: z.number() }),
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    async run(input, { projectDir }) {
      const outcome = await latticeIndex(given({ ...input, projectDir }))
      const { filesIndexed, filesChanged, filesRemoved, filesSkipped, limit } = outcome
      const rest = limit === undefined ? '' : ` Incomplete: the run reached the ${limit} limit; call it again.`
      const text = `${counted(filesIndexed, 'file')} (${filesChanged} read again, ${filesRemoved} gone, ${filesSkipped} skipped), ${graphOf(outcome)}.${rest}`
      return { text, structured: { ...outcome } }
    },
  }),
  defineTool({
    name: 'forge_lattice_stat',
    title: 'Describe the code graph',
    description: `How large the code graph is: files, definitions by language and kind, edges and how they were resolved, the most called functions, the last index.
USE FOR: whether there is an index, and how old it is; an overview of a code base.
DO NOT USE FOR: finding code (forge_lattice_query).`,
    input: z.strictObject({}),
    output: () => z.looseObject({ chunks: z.number(), edges: z.number(), filesIndexed: z.number() }),
    annotations: READS,
    run(_input, { projectDir }) {
      const stat = latticeStat(given({ projectDir }))
      const listed = (counts: Record<string, number>) =>
        Object.entries(counts)
          .sort(([, a], [, b]) => b - a)
          .map(([name, count]) => `${name} ${count}`)
          .join(', ')
      const text = [
        `${counted(stat.filesIndexed, 'file')}, ${graphOf(stat)}; last index: ${stat.lastIndexedAt ?? 'never'}.`,
        ...(stat.limit === undefined ? [] : [`Incomplete: the last run reached the ${stat.limit} limit.`]),
        `Languages: ${listed(stat.languages)}`,
        `Edges: ${listed(stat.resolved)}`,
      ].join('\n')
      return { text, structured: { ...stat } }
    },
  }),
  defineTool({
    name: 'forge_lattice_query',
    title: 'Find definitions',
    description: `Find functions, classes, types and sections by words in their name, path, comment and body; identifiers are split (getUserById is found by "user id").
USE FOR: where something is defined or done, before opening files.
DO NOT USE FOR: plain text search; who calls something (forge_lattice_callers).`,
    input: z.strictObject({
      ...declared<LatticeQueryOptions>('LatticeQueryOptions').fields('query', 'kind', 'language', 'filePath', 'limit'),
      budget: budgetField,
    }),
    output: answerSchema,
    annotations: READS,
    run({ budget, ...query }, { projectDir }) {
      return answerWith(latticeQuery(given({ ...query, projectDir })), budget)
    },
  }),
  seedTool(
    'forge_lattice_callers',
    'Who calls this?',
    `List what calls a function or method, with file and lines; each edge says how it was resolved (exact, import, name).
USE FOR: before changing a signature or a behaviour.
DO NOT USE FOR: what is reached in several steps (forge_lattice_blast).`,
    latticeCallers,
  ),
  seedTool(
    'forge_lattice_callees',
    'What does this call?',
    `List what a function or method calls, and the names that lead out of the project.
USE FOR: understanding a function without opening every file.
DO NOT USE FOR: who calls it (forge_lattice_callers).`,
    latticeCallees,
  ),
  defineTool({
    name: 'forge_lattice_blast',
    title: 'How far does a change reach?',
    description: `List what is connected to a definition by calls, in both directions, by distance.
USE FOR: the blast radius of a change; which tests and callers to look at.
DO NOT USE FOR: direct callers only (forge_lattice_callers).`,
    input: z.strictObject({
      ...declared<LatticeBlastOptions>('LatticeBlastOptions').fields('name', 'chunkId', 'direction', 'depth', 'limit'),
      budget: budgetField,
    }),
    output: () =>
      z.object({
        nodes: z.array(chunkSchema()),
        ...declared<LatticeBlast>('LatticeBlast').bare('edges', 'unresolvedNames', 'total', 'truncated', 'message'),
      }),
    annotations: READS,
    run({ budget, ...seed }, { projectDir }) {
      const blast = latticeBlast(given({ ...seed, projectDir }))
      const { text, kept, facts } = fitted(blast.nodes, blast, budget)
      const ids = new Set(kept.map(({ id }) => id))
      const edges = blast.edges.filter(({ from, to }) => ids.has(from) && ids.has(to)).map((edge) => ({ ...edge }))
      return { text, structured: { nodes: kept, edges, unresolvedNames: blast.unresolvedNames, ...facts } }
    },
  }),
]
