// The token of a project's server, stored for this user, so that an open page keeps working after a restart.

import { join } from 'node:path'
import { createToken } from '../hub/gate.js'
import { sha256 } from '../shared/digest.js'
import { forgeHome } from '../shared/home.js'
import { OTHERS_READ, readPrivateFile, writePrivateFile } from '../shared/private-file.js'
import { projectRoot } from '../shared/real-path.js'

/** The lifetime of an unused token, so that a copied address does not work forever. */
const KEPT_MS = 24 * 3600_000
const FOLDER = 'server-tokens'
const TOKEN = /^[\w-]{43}$/

interface KeptToken {
  project: string
  token: string
  usedAt: string
}

/** Returns the token of the project's last server if it is still valid, otherwise a new one. */
export function tokenFor(projectDir: string): string {
  const token = readToken(projectDir) ?? createToken()
  keepToken(projectDir, token)
  return token
}

/** Stores the token for the next server. If it cannot be written, the next server gets a new one. */
export function keepToken(projectDir: string, token: string): void {
  const project = projectRoot(projectDir)
  const kept: KeptToken = { project, token, usedAt: new Date().toISOString() }
  try {
    writePrivateFile(pathOf(project), `${JSON.stringify({ _v: 1, ...kept })}\n`)
  } catch {
    return
  }
}

function readToken(projectDir: string): string | undefined {
  const project = projectRoot(projectDir)
  try {
    const kept = JSON.parse(readPrivateFile(pathOf(project), OTHERS_READ) ?? 'null') as KeptToken | null
    const age = Date.now() - Date.parse(kept?.usedAt ?? '')
    const isGood = kept?.project === project && age >= 0 && age < KEPT_MS && TOKEN.test(kept.token)
    return isGood ? kept.token : undefined
  } catch {
    // Missing or invalid.
    return undefined
  }
}

function pathOf(project: string): string {
  return join(forgeHome(), FOLDER, `${sha256(project)}.json`)
}
