// The tools of both kinds of server, as they answer over MCP.
import { createHash } from 'node:crypto'

const text = (...blocks) => ({ content: blocks.map((block) => ({ type: 'text', text: block })) })
const fields = (...names) => ({ type: 'object', properties: Object.fromEntries(names.map((name) => [name, {}])) })

/** OpenBrain: JSON in a block of text, and a block for people before it when there are warnings. */
export const openBrain = {
  serverInfo: { name: 'open-brain', version: '1.0.0' },
  tools: [
    ['search_thoughts', ['query', 'limit', 'threshold', 'project', 'type', 'topic', 'include_archived', 'created_by']],
    ['list_thoughts', ['type', 'topic', 'person', 'days', 'project', 'include_archived', 'created_by']],
    ['capture_thought', ['content', 'project', 'source', 'supersedes', 'created_by']],
    ['capture_thoughts', ['thoughts', 'project', 'source', 'created_by']],
    ['thought_stats', ['project', 'created_by']],
    ['update_thought', ['id', 'content']],
    ['delete_thought', ['id']],
  ].map(([name, names]) => ({ name, inputSchema: fields(...names) })),
  call(brain, name, args) {
    try {
      return answerTool(brain, name, args)
    } catch (error) {
      return { ...text(`Error: ${error.message}`), isError: true }
    }
  },
}

function answerTool(brain, name, args) {
  switch (name) {
    case 'capture_thought': {
      const { id, metadata, project } = brain.capture(args)
      const warnings = Buffer.byteLength(args.content) > 100 ? [{ code: 'embedding_truncated', field: 'content' }] : []
      const answer = JSON.stringify({ status: 'captured', id, type: metadata.type, project, warnings })
      // What is for people comes first, and only where there is something to warn of.
      return warnings.length === 0
        ? text(answer)
        : text('Warning: the text is long. It was stored all the same.', answer)
    }
    case 'capture_thoughts': {
      const results = brain.captureMany(args.thoughts, args)
      return text(JSON.stringify({ status: 'captured', count: results.length, results }))
    }
    case 'search_thoughts': {
      const results = brain.search(args)
      return text(JSON.stringify({ count: results.length, results }))
    }
    case 'list_thoughts': {
      const results = brain.list(args)
      return text(JSON.stringify({ count: results.length, results }))
    }
    case 'thought_stats':
      return text(JSON.stringify(brain.stats(args.project)))
    case 'delete_thought':
      return text(JSON.stringify({ deleted: brain.remove(args.id), id: args.id }))
  }
  throw new Error(`unknown tool ${name}`)
}

/** OB1: the text of a thought and nothing else, answered in prose; the same text twice is one thought. */
export const ob1 = {
  serverInfo: { name: 'open-brain', version: '1.0.0' },
  tools: [
    ['search', ['query']],
    ['fetch', ['id']],
    ['search_thoughts', ['query', 'limit', 'threshold']],
    ['list_thoughts', ['limit', 'type', 'topic', 'person', 'days']],
    ['thought_stats', []],
    ['capture_thought', ['content']],
  ].map(([name, names]) => ({ name, inputSchema: fields(...names) })),
  call(brain, name, args) {
    switch (name) {
      case 'capture_thought': {
        const fingerprint = createHash('sha256').update(args.content.toLowerCase().replace(/\s+/g, ' ')).digest('hex')
        if (!brain.rows.some((row) => row.metadata.fingerprint === fingerprint)) {
          brain.capture({ content: args.content, metadata: { fingerprint } })
        }
        return text('Captured as observation -- t')
      }
      case 'search_thoughts': {
        const found = brain.search({ query: args.query, limit: args.limit, threshold: args.threshold })
        if (found.length === 0) return text('No thoughts found matching your query.')
        const results = found.map(({ content, similarity, created_at }, at) => {
          const match = (similarity * 100).toFixed(1)
          return `--- Result ${at + 1} (${match}% match) ---\nCaptured: ${created_at}\nType: observation\n\n${content}`
        })
        return text(`Found ${found.length} thought(s):\n\n${results.join('\n\n')}`)
      }
      case 'thought_stats':
        return text(`Total thoughts: ${brain.count()}\nDate range: today`)
    }
    return { ...text(`Error: unknown tool ${name}`), isError: true }
  },
}
