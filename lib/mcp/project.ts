import { existsSync } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { McpServer } from '@modelcontextprotocol/server'
import { findProject } from '../native.js'
import { attempt } from '../shared/problem.js'
import { findAmong, holds, isFilledIn, isFolder } from './whereabouts.js'

/** How long a client may take to name its roots. */
const ROOTS_MS = 3000
/** Arguments that name files, by which one of several roots is chosen. */
const PATH_ARGUMENTS = ['path', 'source_file', 'sourceFile', 'filePath', 'file', 'files', 'paths']

/**
 * The project of the calls of one client: the named one, else that of the client's roots, else that of the variables of its host, else that
 * of the working directory.
 */
export class ProjectOfCalls {
  readonly #named: string | undefined
  readonly #onproject: (projectDir: string) => void
  #roots: string[] = []
  #asked: Promise<void> = Promise.resolve()

  /** `onproject` is called with the project of every call, and with the first one as soon as the client has named its roots. */
  constructor(named: string | undefined, onproject: (projectDir: string) => void = () => undefined) {
    this.#named = isFilledIn(named) ? named : undefined
    this.#onproject = onproject
  }

  /** Asks the client for its roots when it is ready, and again whenever they change. */
  follow({ server }: McpServer): void {
    const ask = () => {
      if (this.#named === undefined && server.getClientCapabilities()?.roots !== undefined) {
        this.#asked = server.listRoots(undefined, { timeout: ROOTS_MS }).then(
          ({ roots }) => {
            this.#roots = roots.flatMap(({ uri }) => folderOf(uri))
          },
          // A client that names none in time is one without roots.
          () => undefined,
        )
      }
      void this.of({}).catch(() => undefined)
    }
    server.oninitialized = ask
    server.setNotificationHandler('notifications/roots/list_changed', ask)
  }

  /** Returns the project of a call with these arguments. Rejects with `NO_PROJECT` or `FOREIGN_FOLDER`. */
  async of(args: unknown): Promise<string> {
    await this.#asked
    // A root may have gone since.
    const roots = this.#roots.filter(isFolder)
    const paths = pathsIn(args)
    const holding = roots.filter((root) => paths.some((path) => hasPath(root, path)))
    // Of nested roots, the inner one.
    holding.sort((one, other) => other.length - one.length)
    const found =
      this.#named === undefined ? findAmong([...holding, ...roots]) : findProject({ projectDir: this.#named })
    this.#onproject(found)
    return found
  }
}

function folderOf(uri: string): string[] {
  // The address of another machine, or of another system.
  return attempt(() => (uri.startsWith('file:') ? [fileURLToPath(uri)] : [])) ?? []
}

function pathsIn(args: unknown): string[] {
  if (typeof args !== 'object' || args === null) return []
  const named = Object.entries(args).filter(([name]) => PATH_ARGUMENTS.includes(name))
  return named.flatMap(([, value]) => value).filter((path): path is string => typeof path === 'string' && path !== '')
}

/** A relative path is in the root in which it exists. */
function hasPath(root: string, path: string): boolean {
  return isAbsolute(path) ? holds(root, path) : existsSync(join(root, path))
}
