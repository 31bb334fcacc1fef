import { z } from 'zod'
import { searchThoughts } from '../../api/shared-memory.js'
import { projectNames, type SearchOptions } from '../../native.js'
import { isSearchOfProjectOnly } from '../../shared/asked-settings.js'
import { given } from '../../shared/given.js'
import { sourceOf, thoughtLine } from '../../shared/thought-line.js'
import { shortNames } from '../../text/project-names.js'
import { declared } from '../answer/declared.js'
import { budgetField, frameWithin, TAGS_MAX, textForPrograms } from '../answer/notes.js'
import { defineTool } from '../answer/tool.js'

export const searchThoughtsTool = defineTool({
  name: 'search_thoughts',
  title: 'Search the shared memory',
  description: `Search what was learned in all projects that share a memory, by meaning where an embedder is set, else by words.
USE FOR: what another project may have answered; what memory_recall did not find.
DO NOT USE FOR: this project's own notes (memory_recall), source code.`,
  input: z.strictObject({
    query: z.string().min(1).describe('A question or keywords.'),
    ...declared<SearchOptions>('SearchOptions').fields('project', 'since', 'limit'),
    ...declared<SearchOptions>('SearchOptions').bare('type'),
    budget: budgetField,
  }),
  output: () =>
    z.object({
      thoughts: z.array(
        z.object({
          id: z.string(),
          content: z.string(),
          project: z.string(),
          type: z.string(),
          createdAt: z.string(),
          tags: z.array(z.string()),
          author: z.string().optional().describe('Who said it.'),
          weak: z.boolean().optional(),
          over: z.boolean().optional(),
          from: z.string().optional(),
          claimedBy: z.string().optional(),
          contradictedBy: z.array(z.string()).optional(),
        }),
      ),
      shown: z.number().int(),
      total: z.number().int(),
      backend: z.string(),
      semantic: z.boolean(),
      message: z.string().optional(),
    }),
  annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: true },
  async run({ query, budget, ...asked }, { projectDir }) {
    // The user may have said that agents do not see other projects.
    const own = isSearchOfProjectOnly() ? { project: projectNames(given({ projectDir }))[0] } : {}
    const options = { ...asked, ...own }
    const { thoughts, backend, semantic, message } = await searchThoughts(query, given({ ...options, projectDir }))
    const facts = { total: thoughts.length, backend, semantic, ...given({ message }) }
    if (thoughts.length === 0) {
      return { text: message ?? 'No thoughts found.', structured: { thoughts: [], shown: 0, ...facts } }
    }
    const shortOf = shortNames(thoughts.map(({ project }) => project))
    const lines = thoughts.map((hit) => thoughtLine(hit, shortOf(hit.project), sourceOf(hit)))
    const { text, shown } = frameWithin(lines, budget)
    const first = thoughts.slice(0, shown).map(({ id, content, project, type, createdAt, tags, ...hit }) => {
      const { createdBy: author, weak, over, contradictedBy, from, claimedBy } = hit
      const facts = {
        id,
        content: textForPrograms(content).text,
        project,
        type,
        createdAt,
        tags: tags.slice(0, TAGS_MAX),
      }
      return { ...facts, ...given({ author, from, claimedBy, weak, over, contradictedBy }) }
    })
    return {
      text: message === undefined ? text : `${text}${message}\n`,
      structured: { thoughts: first, shown, ...facts },
    }
  },
})
