import { chmodSync, lstatSync } from 'node:fs'
import { join } from 'node:path'
import { drainOpenBrain } from '../api/shared-memory.js'
import type { Hub } from '../hub/hub.js'
import { findFaults } from '../init/findings.js'
import { type Finding, healMemory, memoryDir, retryDeadLetters, verifyMemory } from '../native.js'
import { given } from '../shared/given.js'
import { problem } from '../shared/problem.js'
import { onlyFields } from './body.js'
import type { Query } from './query.js'
import { get, post, type Route } from './router.js'
import type { Check } from './shapes.js'
import { tellOfLetters } from './store.js'

const PRIVATE = 0o700

/** A lossless repair of findings: it keeps the originals, or only moves files. */
interface Fix {
  /** The codes of the findings that it repairs. */
  codes: string[]
  label: string
  run: (projectDir: string, hub: Hub) => Promise<unknown> | unknown
}

const FIXES: Record<string, Fix> = {
  heal: {
    codes: ['CONFLICT_MARKERS', 'FORGOTTEN_EDITS'],
    label: 'Heal the files',
    run: (projectDir) => healMemory({ projectDir }),
  },
  repair: {
    codes: ['INDEX_DAMAGED', 'UNPARSABLE_LINES'],
    label: 'Repair',
    run: (projectDir) => verifyMemory({ projectDir, repair: true }),
  },
  close: { codes: ['OPEN_FOLDER'], label: 'Close the folder to other users', run: closeFolder },
  retry: { codes: ['DEAD_LETTERS'], label: 'Put them back in the queue', run: retry },
  drain: {
    codes: ['DRAIN_DEFERRED', 'NOT_QUEUED'],
    label: 'Deliver now',
    run: (projectDir) => drainOpenBrain({ projectDir }),
  },
}

/** Returns the routes that report the health of a memory and run lossless repairs. */
export function healthRoutes(projectDir: string, hub: Hub): Route[] {
  return [
    get('/api/memory/health', (query) => answerFindings(query, projectDir)),
    post('/api/memory/health', (body) => mend(body, projectDir, hub)),
    post('/api/memory/verify', (body) => {
      onlyFields(body, [])
      return verifyMemory({ projectDir })
    }),
  ]
}

async function answerFindings(query: Query, projectDir: string): Promise<{ findings: Check[] }> {
  query.only()
  const findings = await findFaults({ projectDir })
  return { findings: findings.map((finding) => ({ ...finding, ...given({ fix: fixFor(finding) }) })) }
}

function fixFor({ code, severity }: Finding): Check['fix'] {
  if (severity === 'ok') return undefined
  const found = Object.entries(FIXES).find(([, { codes }]) => codes.includes(code))
  return found && { name: found[0], label: found[1].label }
}

async function mend(body: Record<string, unknown>, projectDir: string, hub: Hub): Promise<object> {
  onlyFields(body, ['fix'])
  const name = typeof body.fix === 'string' ? body.fix : ''
  const fix = Object.hasOwn(FIXES, name) ? FIXES[name] : undefined
  if (!fix) throw problem('INVALID_INPUT', `fix: expected ${Object.keys(FIXES).join(', ')}`)
  await fix.run(projectDir, hub)
  return { fix: name, findings: (await findFaults({ projectDir })).length }
}

/** For folders only: `chmod` on a link would change its target. */
function closeFolder(projectDir: string): void {
  const folder = join(memoryDir({ projectDir }), '.forge')
  if (!lstatSync(folder).isDirectory()) throw problem('INVALID_INPUT', '.forge: expected a folder')
  chmodSync(folder, PRIVATE)
}

function retry(projectDir: string, hub: Hub): void {
  retryDeadLetters(undefined, { projectDir })
  tellOfLetters(projectDir, hub)
}
