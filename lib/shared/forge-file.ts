import { readConfinedText } from './confined.js'

/** Returns what a project's `.forge.json` says, whatever that is. Throws when there is none (`ENOENT`), or it is no JSON. */
export function parseForgeFile(projectDir: string): unknown {
  const text = readConfinedText(projectDir, '.forge.json')
  if (text === undefined) throw Object.assign(new Error('there is no .forge.json'), { code: 'ENOENT' })
  return JSON.parse(text)
}
