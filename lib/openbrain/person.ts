// Who a capture is from, in a store that several people share: the user's setting, else the identity that git commits with.
import { runGit } from '../shared/git.js'
import { readUserSettings } from './user-settings.js'

const CHARS_MAX = 200

/** Names the person of this machine; empty when nothing names one. A project's files cannot. */
export async function personOf(projectDir: string): Promise<string> {
  const given = process.env.FORGE_CREATED_BY ?? readUserSettings().openbrain?.createdBy
  if (typeof given === 'string' && given.trim() !== '') return oneName(given)
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
