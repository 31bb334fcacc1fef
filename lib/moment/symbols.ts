// Symbols: which names an edit contains, which of them the file defines, and who calls those.
import { closeSync, existsSync, fstatSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { latticeCallers, latticeQuery } from '../native.js'
import { openRegular } from '../shared/regular-file.js'
import { assignedIn, declarationsAround, declaredIn, FILE_READ_MAX } from './declarations.js'
import { hasName, isNamedAfter, type QualifiedName } from './qualified-names.js'

/** The prefix of an edit that is searched for names. */
const EDIT_READ_MAX = 20_000
const NAMES_MAX = 40
/** The number of changed places whose surrounding declarations are read. */
const PLACES_MAX = 8
const CALLED_MAX = 3
const CALLERS_MAX = 20

const NAME = /[A-Za-z_$][\w$]{3,63}/g
/** A constant, permission or environment variable whose name is too long to be there by chance. */
const CONSTANT = /^[A-Z][A-Z\d]*(?:_[A-Z\d]+){2,}$/

/** Returns whether a name is specific: it has several parts, so that a text does not contain it by chance. */
export function isTelling(name: string): boolean {
  return /[a-z\d][A-Z]|[A-Za-z\d]_[A-Za-z\d]|[A-Z]{2,}[a-z]/.test(name) && name.length >= 6
}

/** Returns the specific names in the texts of an edit. */
export function namesIn(texts: string[]): string[] {
  const names = new Set<string>()
  for (const text of texts) {
    for (const [name] of text.slice(0, EDIT_READ_MAX).matchAll(NAME)) if (isTelling(name)) names.add(name)
  }
  return [...names].slice(0, NAMES_MAX)
}

/** The symbols that an edit touches. */
export interface Touched {
  /** Names that this file defines. */
  own: string[]
  /** Names that another file of the project defines, according to the code graph. */
  used: string[]
  /** The callers of the names defined in this file. */
  callers: string[]
  /** What is declared in the edit and around it, specific or not. */
  members: string[]
  /** Returns whether the edit is about a member of a type, or has it literally. */
  hasQualified(name: QualifiedName): boolean
  /** Whether the code graph was available. */
  isInGraph: boolean
}

/** Returns the symbols that an edit of a file touches: from the code graph if there is one, otherwise from the file itself. */
export function touchedBy(project: string, path: string, texts: string[]): Touched {
  const read = texts.map((text) => text.slice(0, EDIT_READ_MAX))
  const file = readStart(join(project, path))
  const around = read.slice(0, PLACES_MAX).flatMap((text) => declarationsAround(file, text))
  const members = [...new Set([...around, ...read.flatMap(declaredIn)])]
  const names = [...new Set([...namesIn(read), ...around.filter(isTelling)])].slice(0, NAMES_MAX)
  const assigned = new Set(read.flatMap(assignedIn))
  const isTouched = (name: string) => members.includes(name) || assigned.has(name)
  const isOwner = (type: string) =>
    isNamedAfter(type, path) || declaredIn(file).includes(type) || file.includes(`${type}::`)
  const hasQualified = ({ whole, owner, member }: QualifiedName) =>
    read.some((text) => hasName(text, whole)) || (members.includes(member) && isOwner(owner))
  const same: Touched = { own: [], used: [], callers: [], members, hasQualified, isInGraph: false }
  if (names.length === 0) return same
  if (existsSync(join(project, '.forge', 'lattice'))) {
    try {
      return { ...same, ...askGraph(project, path, names, isTouched) }
    } catch {
      // With an unreadable index, names are not considered, but the path still is.
      return same
    }
  }
  const inFile = new Set(declaredIn(file))
  const called = new Set(read.flatMap(calledIn))
  const isOwn = (name: string) => inFile.has(name) || isTouched(name)
  const isUsed = (name: string) => !isOwn(name) && (called.has(name) || CONSTANT.test(name))
  return { ...same, own: names.filter(isOwn), used: names.filter(isUsed) }
}

type InGraph = Pick<Touched, 'own' | 'used' | 'callers' | 'isInGraph'>

function askGraph(project: string, path: string, names: string[], isTouched: (name: string) => boolean): InGraph {
  const inFile = latticeQuery({ projectDir: project, filePath: path, limit: 500 })
  const defined = new Set(inFile.chunks.filter((chunk) => chunk.filePath === path).map(({ name }) => name))
  const own = names.filter((name) => defined.has(name) || isTouched(name))
  const others = names.filter((name) => !own.includes(name))
  const found =
    others.length === 0 ? [] : latticeQuery({ projectDir: project, query: others.join(' '), limit: 100 }).chunks
  const elsewhere = new Set(found.map(({ name }) => name))
  const callers = own.slice(0, CALLED_MAX).flatMap((name) => {
    return latticeCallers({ projectDir: project, name, limit: CALLERS_MAX }).chunks.map((chunk) => chunk.name)
  })
  const isNew = (name: string) => isTelling(name) && !own.includes(name)
  return {
    own,
    used: others.filter((name) => elsewhere.has(name) || CONSTANT.test(name)),
    callers: [...new Set(callers)].filter(isNew),
    isInGraph: true,
  }
}

/** Returns whether a file of the project declares a name. */
export function declares(project: string, path: string, name: string): boolean {
  return declaredIn(readStart(join(project, path))).includes(name)
}

const CALL = /([A-Za-z_$][\w$]{3,63})\s*\(/g

function calledIn(text: string): string[] {
  return [...text.slice(0, EDIT_READ_MAX).matchAll(CALL)].flatMap(([, name]) => name ?? [])
}

/** Returns the beginning of a regular file; undefined for anything else. */
function readStart(path: string): string {
  let file: number | undefined
  try {
    file = openRegular(path)
    if (file === undefined) return ''
    const bytes = Buffer.alloc(Math.min(fstatSync(file).size, FILE_READ_MAX))
    return bytes.toString('utf8', 0, readSync(file, bytes, 0, bytes.length, 0))
  } catch {
    return ''
  } finally {
    if (file !== undefined) closeSync(file)
  }
}
