import { realpathSync } from 'node:fs'
import { basename, isAbsolute, relative, resolve, sep } from 'node:path'

/** The maximum length of a path, in characters. */
const PATH_LENGTH_MAX = 1024
/** The prefix of a record's text that is searched for paths. */
export const TEXT_READ_MAX = 8000

/**
 * Returns a path given by an agent relative to the project, with forward slashes; undefined when it is outside of the project, contains
 * control characters or is not a path.
 */
export function pathWithin(project: string, given: string, cwd = project): string | undefined {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
  if (given === '' || given.length > PATH_LENGTH_MAX || /[\u0000-\u001f\u007f]|^~/.test(given)) return undefined
  const full = resolve(cwd, given)
  return below(project, full) ?? below(realOf(project), realOf(full))
}

function below(folder: string, path: string): string | undefined {
  const found = relative(folder, path)
  if (found === '' || found === '..' || found.startsWith(`..${sep}`) || isAbsolute(found)) return undefined
  return found.replaceAll(sep, '/')
}

/** The file itself may not exist yet, so the nearest existing folder is resolved. */
function realOf(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    const parent = resolve(path, '..')
    return parent === path ? path : resolve(realOf(parent), basename(path))
  }
}

/** File names that most projects contain several times, so that they do not identify a file on their own. */
const COMMON_FILE =
  /^(index|main|mod|lib|app|server|client|config|settings|types?|utils?|helpers?|constants|setup|test|tests|conftest|__init__|models?|routes?|schema|page|layout|style|styles)\.\w+$|^(README|CHANGELOG|LICENSE|CONTRIBUTING)(\.\w+)?$|^(package(-lock)?\.json|Cargo\.(toml|lock)|tsconfig\.json|pyproject\.toml|go\.mod|go\.sum|pom\.xml|Makefile|Dockerfile|\.gitignore|\.env|BUILD|CMakeLists\.txt)$/i
/** Folder names that are too general to be evidence. */
const COMMON_FOLDER =
  /^(src|lib|app|apps|packages?|crates|test|tests|__tests?__|docs?|dist|build|internal|pkg|cmd|core|common|shared|utils?|helpers?|components?|modules?|services?|scripts?|bin|public|assets|examples?)$/i

const TOKEN = /(?:[\w@~.+*-]*[\\/])+[\w@.+*-]*|[\w@+-][\w@.+-]*\.[A-Za-z]\w{0,9}|\b[A-Z]\w*file\b/g

/** Returns the likely paths in a text, with forward slashes and without `./` and line numbers. */
export function pathsIn(text: string): string[] {
  const found = text.slice(0, TEXT_READ_MAX).match(TOKEN) ?? []
  return found.map((token) =>
    token
      .replaceAll('\\', '/')
      .replace(/^(\.\/)+/, '')
      .replace(/[.\-+*]+$/, (end) => (end.includes('*') ? end.replace(/[^*]+$/, '') : '')),
  )
}

/** How a text mentions a file: by itself, or by a folder that contains it. */
export type Mention = 'file' | 'folder'

/** Returns how the paths in a text mention a file of the project; undefined when they do not. */
export function mentionOf(named: string[], path: string): Mention | undefined {
  const name = path.slice(path.lastIndexOf('/') + 1)
  const isOfAnother = named.some((each) => each.endsWith(`/${name}`) && !isSameFile(each, path))
  if (named.some((each) => isSameFile(each, path))) return 'file'
  if (!isOfAnother && path.includes('/') && !COMMON_FILE.test(name) && named.includes(name)) return 'file'
  return named.some((each) => isFolderOf(each, path)) ? 'folder' : undefined
}

/** Matches the whole path, a suffix that begins at a folder, or a longer path that ends with it. */
function isSameFile(named: string, path: string): boolean {
  if (named === path || named === `${path}/`) return true
  if (named.includes('/') && !named.startsWith('/') && path.endsWith(`/${named}`)) return true
  return path.includes('/') && named.endsWith(`/${path}`)
}

/** The maximum distance between a file and a folder above it whose notes apply to the file. */
const FOLDERS_UP_MAX = 2

function isFolderOf(named: string, path: string): boolean {
  // `src/auth` alone may be an argument of a command, or a file.
  if (!named.endsWith('/') && !named.endsWith('*')) return false
  const folder = named.replace(/\/?\*.*$/, '').replace(/\/+$/, '')
  if (folder === '' || folder.startsWith('/')) return false
  const parts = folder.split('/')
  if (parts.every((part) => COMMON_FOLDER.test(part))) return false
  const folders = path.split('/').slice(0, -1)
  for (let up = 0; up < Math.min(FOLDERS_UP_MAX, folders.length); up += 1) {
    const above = folders.slice(0, folders.length - up).join('/')
    if (above === folder || above.endsWith(`/${folder}`)) return true
  }
  return false
}

/** Returns whether a text mentions files of the project, but not this one. */
export function namesOtherFiles(named: string[], path: string): boolean {
  const files = named.filter((each) => each.includes('/') && /\.\w+$/.test(each))
  return files.length > 0 && !files.some((each) => isSameFile(each, path))
}
