import { closeSync, fstatSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { resolveConfined, UnsafePath } from '../shared/confined.js'
import { openRegular } from '../shared/regular-file.js'
import { StoreFailure } from './failure.js'
import { rememberKey } from './foreign-text.js'

export type SecretName = 'openbrain' | 'embedder'

/** The environment goes before the file, so that one shell can use another key. */
const VARIABLES: Record<SecretName, string> = { openbrain: 'OPENBRAIN_KEY', embedder: 'FORGE_EMBEDDER_KEY' }
const OTHERS = 0o077
const BYTES_MAX = 1024 * 1024

/**
 * Returns the key for a service: from the environment, else from `.forge/secrets.json`, which no other user may read.
 * Throws a `misconfigured` failure for a file that others can read.
 */
export function secretOf(
  name: SecretName,
  projectDir: string,
  env: NodeJS.ProcessEnv = process.env,
): string | undefined {
  const key = findSecret(name, projectDir, env)
  rememberKey(key)
  return key
}

function findSecret(name: SecretName, projectDir: string, env: NodeJS.ProcessEnv): string | undefined {
  const fromEnvironment = env[VARIABLES[name]]?.trim()
  if (fromEnvironment) return fromEnvironment
  const secrets = readSecrets(projectDir)
  const entry = (secrets as Record<string, { key?: unknown } | undefined>)[name]
  return typeof entry?.key === 'string' && entry.key.trim() !== '' ? entry.key.trim() : undefined
}

function readSecrets(projectDir: string): object {
  const file = openSecrets(projectDir)
  if (file === undefined) return {}
  try {
    // Asked of the open file, so that it cannot be another one that is read.
    if (process.platform !== 'win32' && (fstatSync(file).mode & OTHERS) !== 0) {
      throw new StoreFailure(
        'misconfigured',
        '.forge/secrets.json can be read by others: chmod 600 .forge/secrets.json',
      )
    }
    if (fstatSync(file).size > BYTES_MAX) throw new StoreFailure('misconfigured', '.forge/secrets.json is too large')
    return parsed(readFileSync(file, 'utf8'))
  } finally {
    closeSync(file)
  }
}

function openSecrets(projectDir: string): number | undefined {
  try {
    return openRegular(resolveConfined(projectDir, join('.forge', 'secrets.json')))
  } catch (error) {
    const why = error instanceof UnsafePath ? `: ${error.message}` : ''
    throw new StoreFailure('misconfigured', `.forge/secrets.json cannot be read${why}`)
  }
}

function parsed(text: string): object {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null) return value
  } catch {
    // The text is a secret: nothing of it goes into the message.
  }
  throw new StoreFailure('misconfigured', '.forge/secrets.json is not a JSON object')
}
