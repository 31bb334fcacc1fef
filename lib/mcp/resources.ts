import type { McpServer } from '@modelcontextprotocol/server'
import { listMemories } from '../native.js'
import { noteLine } from '../shared/note-line.js'
import { frameWithin } from './answer/notes.js'

const KINDS = [
  { name: 'lessons', type: 'lesson', what: 'What was learned' },
  { name: 'decisions', type: 'decision', what: 'What was decided, and why' },
  { name: 'gotchas', type: 'gotcha', what: 'What cost time' },
  { name: 'conventions', type: 'convention', what: 'Conventions that apply everywhere' },
  { name: 'patterns', type: 'pattern', what: 'What has worked' },
]

/** The token budget of a resource. It is larger than that of a tool result, because a resource is read as a whole. */
const BUDGET = 8000
const ENTRIES_MAX = 200

/** Registers a resource per type, `memory://project/<plural>`, with the newest records of that type. */
export function registerResources(server: McpServer, project: () => Promise<string>): void {
  for (const { name, type, what } of KINDS) {
    const uri = `memory://project/${name}`
    const about = { title: name, description: `${what} in this project, newest first.`, mimeType: 'text/plain' }
    server.registerResource(name, uri, about, async () => {
      const projectDir = await project()
      const { entries, total } = listMemories({ types: [type], scope: 'project', limit: ENTRIES_MAX, projectDir })
      const text =
        entries.length === 0
          ? `No ${name} are stored yet.`
          : frameWithin(entries.map(noteLine), BUDGET).text + (total > entries.length ? `${total} in all.\n` : '')
      return { contents: [{ uri, mimeType: 'text/plain', text }] }
    })
  }
}
