// The other projects of this user: which there are, and their pages. Every project has a server of its own, with its own token.
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { onlyFields } from '../http/body.js'
import { get, post, type Route } from '../http/router.js'
import type { KnownProject, OtherProject } from '../http/shapes.js'
import { readHubPort } from '../hub/index.js'
import { listMemories, listReview, memoryStatus, recall } from '../native.js'
import { sha256 } from '../shared/digest.js'
import { given } from '../shared/given.js'
import { forgeHome } from '../shared/home.js'
import { OTHERS_WRITE, readPrivateFile } from '../shared/private-file.js'
import { attempt, problem } from '../shared/problem.js'
import { projectRoot } from '../shared/real-path.js'

const PROJECTS_MAX = 200
const HITS = 5

/** Serves another project as this one is served. */
export type ServeOther = (projectDir: string) => Promise<{ url: string; close(): Promise<void> }>

/** Returns the routes about all projects of this user, and a function that ends the servers started by them. */
export function projectRoutes(
  projectDir: string,
  serveOther: ServeOther,
): { routes: Route[]; close: () => Promise<void> } {
  const own = projectRoot(projectDir)
  const started = new Map<string, ReturnType<ServeOther>>()
  const open = async (key: unknown): Promise<{ url: string }> => {
    const found = projectsOf(own).find((one) => one.key === key)
    if (!found) throw problem('NOT_FOUND', 'key: no such project')
    const url = runningAt(found.folder)
    if (url !== undefined) return { url }
    const server = started.get(found.folder) ?? serveOther(found.folder)
    started.set(found.folder, server)
    server.catch(() => started.delete(found.folder))
    return { url: (await server).url }
  }
  const routes: Route[] = [
    get('/api/projects', (query) => {
      query.only()
      const projects = projectsOf(own).map((one): OtherProject => {
        return { ...one, isThis: one.folder === own, ...countsOf(one) }
      })
      return { projects }
    }),
    get('/api/projects/recall', (query) => {
      const text = query.only('query').text('query') ?? ''
      const found = projectsOf(own).map((one) => ({ ...one, isThis: one.folder === own, hits: hitsOf(one, text) }))
      return { query: text, found }
    }),
    post('/api/projects/open', (body) => {
      onlyFields(body, ['key'])
      return open(body.key)
    }),
  ]
  const close = async () => {
    for (const server of started.values()) await server.then((one) => one.close()).catch(() => undefined)
  }
  return { routes, close }
}

/** The projects whose folders are still there: those that this machine has captured in, and this one. */
function projectsOf(own: string): KnownProject[] {
  const found = new Map<string, KnownProject>()
  const add = (folder: string, name: string): void => {
    const key = sha256(folder).slice(0, 16)
    found.set(folder, { key, folder, name })
  }
  for (const { folder, name } of knownFolders()) {
    const root = projectRoot(folder)
    if (root === own || existsSync(join(root, '.forge'))) add(root, name)
  }
  if (!found.has(own)) add(own, memoryStatus({ projectDir: own }).shortName)
  return [...found.values()].sort(
    (a, b) => Number(b.folder === own) - Number(a.folder === own) || (a.name < b.name ? -1 : 1),
  )
}

/** The engine's notes on the folders of this machine: `project/names.rs`. */
function knownFolders(): { folder: string; name: string }[] {
  const folder = join(forgeHome(), 'projects')
  const names = filesIn(folder).slice(0, PROJECTS_MAX)
  return names.flatMap((file) => {
    try {
      const known = JSON.parse(readPrivateFile(join(folder, file), OTHERS_WRITE) ?? 'null')
      const isFolder = typeof known?.folder === 'string' && typeof known.name === 'string'
      return isFolder ? [{ folder: known.folder, name: shownName(known.name) }] : []
    } catch {
      // It is damaged, or was removed meanwhile.
      return []
    }
  })
}

/** `owner/name` of what has a remote; the name alone of what is on this machine only. */
function shownName(name: string): string {
  const parts = name.split('/')
  return parts[0] === 'local' ? (parts.at(-1) ?? '') : parts.slice(-2).join('/')
}

function filesIn(folder: string): string[] {
  // Nothing was captured yet.
  return attempt(() => readdirSync(folder).filter((name) => name.endsWith('.json'))) ?? []
}

function countsOf({ folder }: KnownProject): Pick<OtherProject, 'memories' | 'waiting' | 'newest'> {
  try {
    const { counts } = memoryStatus({ projectDir: folder })
    const newest = listMemories({ projectDir: folder, limit: 1 }).entries[0]?.createdAt
    return { memories: counts.memories, waiting: listReview({ projectDir: folder }).length, ...given({ newest }) }
  } catch {
    // It is refused, or cannot be read: its own page says why.
    return {}
  }
}

function hitsOf({ folder }: KnownProject, text: string): object[] {
  try {
    if (text.trim() === '') return listMemories({ projectDir: folder, limit: HITS, scope: 'project' }).entries
    return recall(text, { projectDir: folder, limit: HITS, scope: 'project', highlights: true }).hits
  } catch {
    return []
  }
}

/** The address of a server of this project that runs already. */
function runningAt(folder: string): string | undefined {
  const ports = readHubPort(folder)
  if (ports === null || ports.http === undefined) return undefined
  return `http://127.0.0.1:${ports.http}/#token=${ports.token}`
}
