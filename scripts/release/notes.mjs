// The notes of a release: its section of the changelog, and the platforms that it has packages for.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Returns the section of a version, or of what is not released yet, as a document. */
export function notesOf(root, version, { built, missing }) {
  const text = readFileSync(join(root, 'CHANGELOG.md'), 'utf8')
  const sections = text.split(/^(?=## \[)/m)
  const named = (name) =>
    sections
      .find((one) => one.startsWith(`## [${name}]`))
      ?.trim()
      .split('\n')
      .slice(1)
      .join('\n')
      .trim()
  // A candidate that is tried before the version is given holds what will be its section.
  const parts = [named('Unreleased'), named(version)].filter(Boolean)
  if (parts.length === 0) throw new Error(`CHANGELOG.md has no section for ${version}`)
  const platforms = [`Packages for: ${built}.`, ...(missing === '' ? [] : [`Without a package: ${missing}.`])]
  return `# forge-memory ${version}\n\n${platforms.join(' ')}\n\n${parts[0]}\n`
}
