import { closeSync, fstatSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { memoryDir } from '../native.js'
import { resolveConfined, UnsafePath } from '../shared/confined.js'
import type { Variable } from '../shared/declared-settings.js'
import { type Environment, variable } from '../shared/environment.js'
import { forgeHome } from '../shared/home.js'
import { parsedJson } from '../shared/json.js'
import { OTHERS_READ, readPrivateFile, writePrivateFile } from '../shared/private-file.js'
import { hasCode } from '../shared/problem.js'
import { openRegular } from '../shared/regular-file.js'
import { StoreFailure } from './failure.js'
import { rememberKey } from './foreign-text.js'

export type SecretName = 'openbrain' | 'embedder'

/** The environment takes precedence over the file, so that one shell can use another key. */
const VARIABLES: Record<SecretName, Variable> = { openbrain: 'OPENBRAIN_KEY', embedder: 'FORGE_EMBEDDER_KEY' }
const OTHERS = 0o077
const BYTES_MAX = 1024 * 1024

/**
 * Returns the key of a service at an address that a project's files name: from the environment, else from `.forge/secrets.json`. Throws a
 * `misconfigured` failure when other users can read that file.
 */
export function secretOf(name: SecretName, projectDir: string, env?: Environment): string | undefined {
  return remembered(fromEnvironment(name, env) ?? keyIn(readSecrets(projectDir), name))
}

/** Returns the key of a service at an address in the environment: from there. A file of the project could name the account of somebody else. */
export function environmentSecretOf(name: SecretName): string | undefined {
  return remembered(fromEnvironment(name))
}

function fromEnvironment(name: SecretName, env?: Environment): string | undefined {
  return variable(VARIABLES[name], env)?.trim() || undefined
}

function remembered(key: string | undefined): string | undefined {
  rememberKey(key)
  return key
}

/** Where a key that one of these functions returns is kept, for messages. */
export function whereKept(
  name: SecretName,
  keyOf: (name: SecretName, projectDir: string) => string | undefined,
): string {
  if (fromEnvironment(name) !== undefined || keyOf === environmentSecretOf) return VARIABLES[name]
  return keyOf === userSecretOf ? '~/.forge/secrets.json' : '.forge/secrets.json'
}

/** The file with the keys of the services that the user's own settings name. */
export function userSecretsPath(): string {
  return join(forgeHome(), 'secrets.json')
}

/**
 * Returns the key of a service that the user's own settings name: from the environment, else from `~/.forge/secrets.json`. That file is never
 * read for an address that only a project's files name, because a clone could name any.
 */
export function userSecretOf(name: SecretName): string | undefined {
  return remembered(fromEnvironment(name) ?? keyIn(readUserSecrets(), name))
}

function readUserSecrets(): object {
  const path = userSecretsPath()
  let text: string | undefined
  try {
    text = readPrivateFile(path, 0)
    if (text !== undefined && readPrivateFile(path, OTHERS_READ) === undefined) {
      throw new StoreFailure(
        'misconfigured',
        '~/.forge/secrets.json can be read by others: chmod 600 ~/.forge/secrets.json',
      )
    }
  } catch (error) {
    if (error instanceof StoreFailure) throw error
    if (hasCode(error, 'ENOENT')) return {}
    throw new StoreFailure('misconfigured', '~/.forge/secrets.json cannot be read: it has to be a regular file')
  }
  return text === undefined ? {} : parsed(text, '~/.forge/secrets.json')
}

/** Writes the key of a service for the user's own settings. Other keys stay. */
export function writeUserSecret(name: SecretName, key: string): void {
  rememberKey(key)
  const secrets = { ...readUserSecrets(), [name]: { key } }
  writePrivateFile(userSecretsPath(), `${JSON.stringify(secrets, null, 2)}\n`)
}

function keyIn(secrets: object, name: SecretName): string | undefined {
  const entry = (secrets as Record<string, { key?: unknown } | undefined>)[name]
  return typeof entry?.key === 'string' && entry.key.trim() !== '' ? entry.key.trim() : undefined
}

function readSecrets(projectDir: string): object {
  const file = openSecrets(projectDir)
  if (file === undefined) return {}
  try {
    // The mode of the open file is checked, because the path could lead to another file by now.
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
    return openRegular(resolveConfined(memoryDir({ projectDir }), join('.forge', 'secrets.json')))
  } catch (error) {
    const why = error instanceof UnsafePath ? `: ${error.message}` : ''
    throw new StoreFailure('misconfigured', `.forge/secrets.json cannot be read${why}`)
  }
}

function parsed(text: string, path = '.forge/secrets.json'): object {
  const value = parsedJson(text)
  if (typeof value === 'object' && value !== null) return value
  // The text is a secret, so the message quotes nothing of it.
  throw new StoreFailure('misconfigured', `${path} is not a JSON object`)
}
