import { z } from 'zod'
import { searchThoughts } from '../../api/shared-memory.js'
import { given } from '../../shared/given.js'
import { budgetField, frameWithin, TAGS_MAX, textForPrograms } from '../answer/notes.js'
import { defineTool } from '../answer/tool.js'

export const searchThoughtsTool = defineTool({
  name: 'search_thoughts',
  title: 'Search the shared memory',
  description: `Search what was learned in all projects that share a memory, by meaning where an embedder is set, else by words.
USE FOR: questions that another project or a colleague may have answered; context at the start of a plan; what memory_recall did not find.
DO NOT USE FOR: this project's own memory first (memory_recall is quicker and is always there); source code.
When the shared memory cannot be reached, this project's files answer, and the answer says so.
Returns: the thoughts with project, type, time and id, best first.`,
  input: z.strictObject({
    query: z.string().min(1).describe('A question or keywords.'),
    project: z.string().optional().describe('Only of this project (default: all).'),
    type: z.string().optional().describe('Only of this type, for example decision.'),
    since: z.string().optional().describe('Only newer: an ISO date, or an age such as 7d, 2w.'),
    limit: z.number().int().min(1).max(100).optional().describe('Maximum number of results (default: 10).'),
    budget: budgetField,
  }),
  output: z.object({
    thoughts: z.array(
      z.object({
        id: z.string(),
        content: z.string(),
        project: z.string(),
        type: z.string(),
        createdAt: z.string(),
        tags: z.array(z.string()),
      }),
    ),
    shown: z.number().int(),
    total: z.number().int(),
    backend: z.string(),
    semantic: z.boolean(),
    message: z.string().optional(),
  }),
  annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: true },
  async run({ query, budget, ...options }, { projectDir }) {
    const { thoughts, backend, semantic, message } = await searchThoughts(query, given({ ...options, projectDir }))
    const facts = { total: thoughts.length, backend, semantic, ...given({ message }) }
    if (thoughts.length === 0) {
      return { text: message ?? 'No thoughts found.', structured: { thoughts: [], shown: 0, ...facts } }
    }
    const lines = thoughts.map(
      ({ type, content, project, createdAt, id }) =>
        `[${type}] ${content} (${project}, ${createdAt.slice(0, 10)}, ${id})`,
    )
    const { text, shown } = frameWithin(lines, budget)
    const first = thoughts.slice(0, shown).map(({ id, content, project, type, createdAt, tags }) => {
      return { id, content: textForPrograms(content).text, project, type, createdAt, tags: tags.slice(0, TAGS_MAX) }
    })
    return {
      text: message === undefined ? text : `${text}${message}\n`,
      structured: { thoughts: first, shown, ...facts },
    }
  },
})
