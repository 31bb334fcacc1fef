import { createRequire } from 'node:module'
import { isDeepStrictEqual } from 'node:util'
import { skillText } from '../shared/skill.js'
import { type BlockStyle, dropBlock, putBlock } from './format/block.js'
import type { EntryFile } from './format/entry-file.js'
import { JsoncFile } from './format/jsonc.js'
import { entryOf, type Form, foreignParts, isNested, optionsOf, startsOurs, withoutProject } from './forms.js'
import { argumentsToOurs, type Launch, unguarded, wordsOf } from './launch.js'

/** How `init` edits one file, and how it undoes that. */
export interface Edit {
  path: string
  isExecutable?: boolean
  /** True if the whole file is ours: it is removed only if it is as it was written. */
  isWhole?: boolean
  put(before: string): string
  /** Returns the source text of another tool's entry at the same place; undefined when there is none. */
  foreign(before: string): string | undefined
  /**
   * Removes our part, and restores the foreign entry that it replaced. Returns undefined when the file contained nothing
   * else, and the text unchanged when it has no part of ours.
   */
  drop(before: string, earlier?: Earlier): string | undefined
}

/** A file as it was before `init` edited it, and as it was last written. */
export interface Earlier {
  /** The result of `foreign` before that edit. */
  foreign?: string
  /** True if the file existed. */
  wasThere?: boolean
  /** The digest of the text that was last written into a file that is ours as a whole. */
  writtenHash?: string
}

const NAME = 'forge-memory'

/** The parsers of TOML and YAML are large, and most agents have neither: they are loaded for the first file. */
const load = createRequire(__filename)

/** A file with servers by name, or in a list. */
export interface ServerList {
  format: Format
  list: string
  form: Form
  /** True if the entry names the project; an older entry of ours may name another one. */
  isPinned?: boolean
}

export type Format = 'json' | 'toml' | 'yaml' | 'yaml list'

/** Opens a file for edits of one entry. Throws `CORRUPT` when that is not possible without loss. */
export function openFile(path: string, text: string, format: Format): EntryFile {
  if (format === 'json') return new JsoncFile(path, text)
  if (format === 'toml') {
    const { TomlFile } = load('./format/toml.js') as typeof import('./format/toml.js')
    return new TomlFile(path, text)
  }
  const { YamlFile } = load('./format/yaml.js') as typeof import('./format/yaml.js')
  return new YamlFile(path, text, format === 'yaml list')
}

/**
 * Edits the entry of our server. In a file of a project, an entry with arguments or variables of its own is as foreign as one that starts another
 * program, because both may come with a clone.
 */
export function server(
  path: string,
  { format, list, form, isPinned }: ServerList,
  launch: Launch,
  isShared = false,
): Edit {
  const place = [list, NAME]
  const isOurs = (entry: unknown) => startsOurs(entry) && !(isShared && foreignParts(entry).length > 0)
  const open = (text: string) => {
    const file = openFile(path, text, format)
    file.expectObject([list])
    return file
  }
  return {
    path,
    put(before) {
      const file = open(before)
      const known = file.get(place)
      const options = isOurs(known) ? optionsOf(known) : undefined
      if (options === undefined) file.set(place, { ...entryOf(form, launch), ...form.fresh })
      else if (!isNested(known)) {
        file.expectObject(place)
        // Keys that users added to it (an environment, a timeout) stay.
        const args = [...launch.args, ...(isPinned ? withoutProject(options) : options)]
        for (const [key, value] of Object.entries(entryOf(form, { ...launch, args }))) {
          if (!isDeepStrictEqual(file.get([...place, key]), value)) file.set([...place, key], value)
        }
      }
      return file.toString()
    },
    foreign(before) {
      const file = open(before)
      return isOurs(file.get(place)) ? undefined : file.source(place)
    },
    drop(before, { foreign, wasThere } = {}) {
      const file = open(before)
      if (!startsOurs(file.get(place))) return before
      if (foreign === undefined) file.remove(place, 1)
      else file.restore(place, foreign)
      return left(file, wasThere)
    },
  }
}

/**
 * Edits our entries in lists of hooks by event, in an object at `root`. They are recognised by their command, in every version
 * that was ever written.
 */
export function hooks(
  path: string,
  events: string[],
  entry: (event: string) => object,
  head: Record<string, unknown>,
  root: string[] = ['hooks'],
): Edit {
  const open = (text: string) => {
    const file = new JsoncFile(path, text)
    file.expectObject(root)
    return file
  }
  return {
    path,
    foreign: () => undefined,
    put(before) {
      const file = open(before)
      for (const [key, value] of Object.entries(head)) if (file.get([key]) === undefined) file.set([key], value)
      for (const event of events) {
        file.expectList([...root, event])
        if (!dropHooks(file, [...root, event], entry(event))) file.add([...root, event], entry(event))
      }
      return file.toString()
    },
    drop(before, { wasThere } = {}) {
      const file = open(before)
      for (const event of file.keys(root)) dropHooks(file, [...root, event])
      const text = file.toString()
      if (text === before) return before
      // In a file of ours, the version number of the format is not content.
      if (wasThere || !file.keys([]).every((key) => key in head && file.get([key]) === head[key]))
        return left(file, wasThere)
      for (const key of file.keys([])) file.remove([key], 1)
      return file.isEmpty ? undefined : text
    },
  }
}

/**
 * Removes our hooks from an event, except one that is already as wanted; returns true if there is one. A group with other
 * commands keeps those.
 */
function dropHooks(file: JsoncFile, place: string[], wanted?: object): boolean {
  const list = file.get(place)
  if (!Array.isArray(list)) return false
  // The list itself stays, because the hook is added again.
  const keep = wanted === undefined ? 1 : place.length + 1
  let isThere = false
  for (const [at, element] of [...list.entries()].reverse()) {
    if (!isThere && wanted !== undefined && isDeepStrictEqual(element, wanted)) {
      isThere = true
      continue
    }
    const group: unknown = element?.hooks
    if (runsOnlyOurs(element)) file.remove([...place, at], keep)
    else if (Array.isArray(group)) {
      const ours = [...group.entries()].filter(([, handler]) => runsOnlyOurs(handler)).map(([index]) => index)
      const isWhole = ours.length > 0 && ours.length === group.length
      if (isWhole) file.remove([...place, at], keep)
      else for (const index of ours.reverse()) file.remove([...place, at, 'hooks', index], keep + place.length)
    }
  }
  return isThere
}

function runsOnlyOurs(handler: unknown): boolean {
  const fields = (typeof handler === 'object' && handler !== null ? handler : {}) as Record<string, unknown>
  const { command, bash, powershell, commandWindows } = fields
  const lines = [command, bash, powershell, commandWindows].filter((line) => line !== undefined)
  return lines.length > 0 && lines.every((line) => typeof line === 'string' && isOurHook(line))
}

/** True if an entry of hooks has a command of ours. */
export function runsOurs(element: unknown): boolean {
  const group: unknown = (element as { hooks?: unknown } | null)?.hooks
  return runsOnlyOurs(element) || (Array.isArray(group) && group.some(runsOnlyOurs))
}

function isOurHook(line: string): boolean {
  const call = unguarded(line)
  const words = wordsOf(call) ?? []
  const [verb, event, ...flags] = argumentsToOurs(words) ?? []
  // The native program takes the name of the event from the payload.
  const isNative = words.length === 1 && call === line
  return verb === 'hook' && (event !== undefined || isNative) && flags.every((flag) => flag.startsWith('-'))
}

function left(file: EntryFile, wasThere = false): string | undefined {
  return file.isEmpty && !wasThere ? undefined : file.toString()
}

/** Edits a marked block of a text file. The file is left unchanged if it would exceed `charsMax`, the length that the host reads. */
export function block(path: string, style: BlockStyle, lines: string[], charsMax = Number.POSITIVE_INFINITY): Edit {
  return {
    path,
    foreign: () => undefined,
    put(before) {
      const after = putBlock(path, before, style, lines)
      return after.length > charsMax && after.length > before.length ? before : after
    },
    drop(before, { wasThere } = {}) {
      const after = dropBlock(path, before, style, lines)
      return after.trim() === '' && after !== before && !wasThere ? undefined : after
    },
  }
}

/** Edits a skill in the folder of a host, which belongs to this package as a whole. */
export function skill(folder: string, name: string): Edit {
  const text = skillText(name)
  return {
    path: `${folder}/${name}/SKILL.md`,
    put: () => text,
    foreign: (before) => (before === '' || before === text ? undefined : before),
    drop: (before, { foreign } = {}) => (before === text ? foreign : before),
  }
}
