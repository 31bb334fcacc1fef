// What the readers of the older tool show of a project: its search, its timeline, its SDK and its check, each by the file alone.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Its strict reader: one line that is not JSON, and the whole file has no records. */
function strict(cwd, file) {
  try {
    return linesOf(cwd, file).map((line) => JSON.parse(line))
  } catch {
    return []
  }
}

function linesOf(cwd, file) {
  const path = join(cwd, '.forge', file)
  return existsSync(path) ? readFileSync(path, 'utf8').split('\n').filter(Boolean) : []
}

const THOUGHTS = 'liveguard-memories.jsonl'

/** A memory is named by its place in the file. */
function search(cwd, query) {
  return strict(cwd, THOUGHTS).flatMap(({ content }, at) => (content.includes(query) ? [`mem-${at} ${content}`] : []))
}

function timeline(cwd) {
  const memories = strict(cwd, THOUGHTS).map(({ captured_at, capturedAt, content }) => [
    captured_at ?? capturedAt,
    content,
  ])
  const events = strict(cwd, 'hub-events.jsonl').map(({ timestamp, type }) => [timestamp, type])
  return { memory: memories.sort(byTime), 'hub-event': events.sort(byTime) }
}

const byTime = ([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)

/** Its SDK skips a line that is no object. */
function readThoughts(cwd) {
  return linesOf(cwd, THOUGHTS).flatMap((line) => {
    const thought = JSON.parse(line)
    return typeof thought === 'object' && !Array.isArray(thought) ? [thought.content] : []
  })
}

/** Returns what all of them show. */
export function shownOf({ cwd }, query = '') {
  const { memory, 'hub-event': events } = timeline(cwd)
  return {
    search: search(cwd, query),
    memory,
    events,
    thoughts: readThoughts(cwd),
    checked: linesOf(cwd, THOUGHTS).length,
  }
}
