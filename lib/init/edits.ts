import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { type BlockStyle, dropBlock, putBlock } from './block.js'
import { JsoncFile } from './jsonc.js'
import { argumentsToOurs, type Launch, wordsOf } from './launch.js'

/** One file that `init` writes into, and how to take out again what it put in. */
export interface Edit {
  path: string
  put(before: string): string
  /** Returns the entry of another tool in the place that `put` takes, as it is written. */
  foreign(before: string): string | undefined
  /**
   * Takes out what is ours and puts back what was foreign. Returns nothing when the file was only ever ours, and the text as it
   * is when nothing in it is ours.
   */
  drop(before: string, earlier?: Earlier): string | undefined
}

/** What is known about a file before `init` wrote into it. */
export interface Earlier {
  /** What `foreign` returned then. */
  foreign?: string
  /** Whether it was there. */
  wasThere?: boolean
}

const NAME = 'forge-memory'

/** The entry of a server in a list of servers by name. */
export function server(path: string, list: string, launch: Launch & { type?: string }): Edit {
  const place = [list, NAME]
  const open = (text: string) => {
    const file = new JsoncFile(path, text)
    file.expectObject([list])
    return file
  }
  return {
    path,
    put(before) {
      const file = open(before)
      if (!startsOurs(file.get(place))) file.set(place, launch)
      else {
        file.expectObject(place)
        // What people have added to it (an environment, a time limit) stays.
        for (const [key, value] of Object.entries(launch)) file.set([...place, key], value)
      }
      return file.toString()
    },
    foreign(before) {
      const file = open(before)
      return startsOurs(file.get(place)) ? undefined : file.source(place)
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

/** Tells whether an entry starts our server: its name alone says nothing, others may have taken it. */
function startsOurs(entry: unknown): boolean {
  const { command, args } = (typeof entry === 'object' && entry !== null ? entry : {}) as Record<string, unknown>
  if (typeof command !== 'string' || !Array.isArray(args)) return false
  return isDeepStrictEqual(argumentsToOurs([command, ...args.map(String)]), ['mcp'])
}

/** Entries in lists of hooks by event. An entry of ours is known by its command, also when it was written by an older version. */
export function hooks(
  path: string,
  events: string[],
  entry: (event: string) => object,
  head: Record<string, unknown>,
): Edit {
  const open = (text: string) => {
    const file = new JsoncFile(path, text)
    file.expectObject(['hooks'])
    return file
  }
  return {
    path,
    foreign: () => undefined,
    put(before) {
      const file = open(before)
      for (const [key, value] of Object.entries(head)) if (file.get([key]) === undefined) file.set([key], value)
      for (const event of events) {
        file.expectList(['hooks', event])
        if (!dropHooks(file, event, entry(event))) file.add(['hooks', event], entry(event))
      }
      return file.toString()
    },
    drop(before, { wasThere } = {}) {
      const file = open(before)
      for (const event of file.keys(['hooks'])) dropHooks(file, event)
      const text = file.toString()
      if (text === before) return before
      // The format's own version number is no content, in a file that is ours.
      if (wasThere || !file.keys([]).every((key) => key in head && file.get([key]) === head[key]))
        return left(file, wasThere)
      for (const key of file.keys([])) file.remove([key], 1)
      return file.isEmpty ? undefined : text
    },
  }
}

/**
 * Takes our hooks out of an event, but for one that is as it should be; tells whether there is one. A group that has other
 * commands as well keeps them.
 */
function dropHooks(file: JsoncFile, event: string, wanted?: object): boolean {
  const list = file.get(['hooks', event])
  if (!Array.isArray(list)) return false
  // While something is to be put in again, the list stays.
  const keep = wanted === undefined ? 1 : 3
  let isThere = false
  for (const [at, element] of [...list.entries()].reverse()) {
    if (!isThere && wanted !== undefined && isDeepStrictEqual(element, wanted)) {
      isThere = true
      continue
    }
    const group: unknown = element?.hooks
    if (runsOnlyOurs(element)) file.remove(['hooks', event, at], keep)
    else if (Array.isArray(group)) {
      const ours = [...group.entries()].filter(([, handler]) => runsOnlyOurs(handler)).map(([index]) => index)
      const isWhole = ours.length > 0 && ours.length === group.length
      if (isWhole) file.remove(['hooks', event, at], keep)
      else for (const index of ours.reverse()) file.remove(['hooks', event, at, 'hooks', index], keep + 2)
    }
  }
  return isThere
}

function runsOnlyOurs(handler: unknown): boolean {
  const { command, bash, powershell } = (typeof handler === 'object' && handler !== null ? handler : {}) as Record<
    string,
    unknown
  >
  const lines = [command, bash, powershell].filter((line) => line !== undefined)
  return lines.length > 0 && lines.every((line) => typeof line === 'string' && isOurHook(line))
}

function isOurHook(line: string): boolean {
  const [verb, event, ...flags] = argumentsToOurs(wordsOf(line) ?? []) ?? []
  return verb === 'hook' && event !== undefined && flags.every((flag) => flag.startsWith('-'))
}

function left(file: JsoncFile, wasThere = false): string | undefined {
  return file.isEmpty && !wasThere ? undefined : file.toString()
}

/** A marked part of a text file. */
export function block(path: string, style: BlockStyle, lines: string[]): Edit {
  return {
    path,
    foreign: () => undefined,
    put: (before) => putBlock(path, before, style, lines),
    drop(before, { wasThere } = {}) {
      const after = dropBlock(path, before, style, lines)
      return after.trim() === '' && after !== before && !wasThere ? undefined : after
    },
  }
}

/** A file that is ours as a whole. */
export function skill(path: string): Edit {
  const text = readFileSync(join(__dirname, '..', '..', 'skills', 'ralph-memory', 'SKILL.md'), 'utf8')
  return {
    path,
    put: () => text,
    foreign: (before) => (before === '' || before === text ? undefined : before),
    drop: (before, { foreign } = {}) => (before === text ? foreign : before),
  }
}
