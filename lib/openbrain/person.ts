// Who a capture is from, in a store that several people share: the user's setting, else the identity that git commits with.

import { variable } from '../shared/environment.js'
import { runGit } from '../shared/git.js'
import type { StoreSettings } from './settings.js'
import { readUserSettings } from './user-settings.js'

/** The author in captures when nobody is named; the engine writes it. "You" is somebody else on another machine. */
export const NOBODY = ['forge-memory', 'you']

const CHARS_MAX = 200

/** The value of the setting that stands for the identity that git commits with. */
const GIT = 'git'

/** Names the person of this machine; empty when nothing names one. A project's files cannot. */
export async function personOf(projectDir: string): Promise<string> {
  const set = named()
  return set === undefined || set === GIT ? identityOf(projectDir) : set
}

/** Names the person of this machine in a store: where nothing else does, by the user of the database, of which each person has one. */
export async function personIn({ projectDir, target }: Pick<StoreSettings, 'projectDir' | 'target'>): Promise<string> {
  const person = await personOf(projectDir)
  return person === '' && target.backend === 'postgres' ? oneName(decodeURIComponent(target.url.username)) : person
}

/** Names the person of a capture, when the user's setting asks for more than "you"; `git` stands for the identity that git commits with. */
export async function personHere(projectDir: string): Promise<string | undefined> {
  try {
    const set = named()
    return set === GIT ? (await identityOf(projectDir)) || undefined : set
  } catch {
    // Broken settings stop deliveries, which report them; a capture goes on.
    return undefined
  }
}

function named(): string | undefined {
  const given = variable('FORGE_CREATED_BY') ?? readUserSettings().openbrain?.createdBy
  return typeof given === 'string' && given.trim() !== '' ? oneName(given) : undefined
}

async function identityOf(projectDir: string): Promise<string> {
  return oneName((await fromGit(projectDir, 'user.email')) || (await fromGit(projectDir, 'user.name')))
}

async function fromGit(projectDir: string, name: string): Promise<string> {
  try {
    return (await runGit(projectDir, ['config', '--get', name])).toString('utf8')
  } catch {
    // Git is missing, or has no such setting.
    return ''
  }
}

function oneName(text: string): string {
  return text.replace(/\s+/g, ' ').trim().slice(0, CHARS_MAX)
}
