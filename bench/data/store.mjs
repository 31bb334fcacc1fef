// Writes lessons straight into the files of a project's memory, the way another program (a git merge, an older tool)
// would, without the package. The bytes are described in docs/reference/formats.md of the project.
import { closeSync, mkdirSync, openSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'

export const PROJECT_NAME = 'bench'

const FIRST_CAPTURE_MS = Date.UTC(2025, 0, 1)
/** Far enough that no run of the benchmark sees a record expire. */
const NEVER = '2099-01-01T00:00:00.000Z'
const EXPIRING_TYPES = new Set(['lesson', 'decision', 'gotcha'])
const BATCH_BYTES = 1 << 20

export function rawLogPath(projectDir) {
  return join(projectDir, '.forge', 'memory-captures.jsonl')
}

function typeFileName(type) {
  return `${type}s.jsonl`
}

/** The id of the lesson at a position: a UUID version 7 whose time and tail both come from the position. */
export function thoughtId(position) {
  const time = (FIRST_CAPTURE_MS + position * 1000).toString(16).padStart(12, '0')
  const scattered = Math.imul(position + 1, 0x9e3779b1) >>> 0
  const tail = scattered.toString(16).padStart(8, '0') + position.toString(16).padStart(7, '0')
  return `mem_${time}7${tail.slice(0, 3)}8${tail.slice(3)}`.padEnd(36, '0')
}

/** The position that `thoughtId` was made from. */
export function positionOf(id) {
  return (Number.parseInt(id.slice(4, 16), 16) - FIRST_CAPTURE_MS) / 1000
}

/** One line of the raw log, with its newline. */
export function thoughtLine(lesson, position) {
  const thought = {
    _v: 1,
    id: thoughtId(position),
    content: lesson.content,
    project: PROJECT_NAME,
    type: lesson.type,
    source: 'forge_bench/store',
    created_by: 'forge-memory',
    captured_at: new Date(FIRST_CAPTURE_MS + position * 1000).toISOString(),
    ...(EXPIRING_TYPES.has(lesson.type) ? { expiresAt: NEVER } : {}),
    tags: lesson.tags ?? [],
    confidence: 0.7,
    ...(lesson.session === undefined ? {} : { session: lesson.session }),
  }
  return `${JSON.stringify(thought)}\n`
}

/** Makes the project folder, so that no command looks for it further up. */
export function makeProject(projectDir, config = {}) {
  mkdirSync(join(projectDir, '.forge'), { recursive: true })
  writeFileSync(join(projectDir, '.forge.json'), `${JSON.stringify({ projectName: PROJECT_NAME, ...config })}\n`)
}

/** Writes every lesson into the raw log and the file of its type: no duplicate check, no index. */
export function writeStore(projectDir, lessons) {
  makeProject(projectDir)
  const raw = new BatchedFile(rawLogPath(projectDir))
  const byType = new Map()
  let position = 0
  for (const lesson of lessons) {
    const line = thoughtLine(lesson, position++)
    raw.write(line)
    if (!byType.has(lesson.type)) {
      byType.set(lesson.type, new BatchedFile(join(projectDir, '.forge', typeFileName(lesson.type))))
    }
    byType.get(lesson.type).write(line)
  }
  for (const file of [raw, ...byType.values()]) file.close()
}

/** Gathers small lines and writes them in large pieces. */
export class BatchedFile {
  #descriptor
  #lines = []
  #bytes = 0

  constructor(path) {
    this.#descriptor = openSync(path, 'w')
  }

  write(line) {
    this.#lines.push(line)
    this.#bytes += line.length
    if (this.#bytes >= BATCH_BYTES) this.#flush()
  }

  close() {
    this.#flush()
    closeSync(this.#descriptor)
  }

  #flush() {
    writeSync(this.#descriptor, this.#lines.join(''))
    this.#lines = []
    this.#bytes = 0
  }
}
