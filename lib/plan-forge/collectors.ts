// What the older tool leaves in a project besides thoughts: notes of slices, recipes, decisions. Read only.
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { changedAt, entriesOf, parseJson, readText } from './folder.js'
import { type Fields, fieldsIn, listIn, textIn } from './soft.js'

/** How deep folders of decisions are followed. */
const DEPTH_MAX = 8

export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

export interface CollectOptions {
  since?: Date | undefined
  limit?: number | undefined
}

export interface Trajectory {
  planBasename: string
  sliceId: string
  content: string
  mtime: Date
}

/** Collects the notes of slices, the newest first. */
export function collectTrajectories(root: string, { since, limit = 50 }: CollectOptions = {}): Trajectory[] {
  const folder = ['.forge', 'trajectories']
  const found = entriesOf(root, ...folder).flatMap(({ name: planBasename }) =>
    entriesOf(root, ...folder, planBasename).flatMap((entry): Trajectory[] => {
      const content = entry.name.endsWith('.md') ? textAt(root, ...folder, planBasename, entry.name) : ''
      if (content === '') return []
      const sliceId = entry.name.replace(/\.md$/, '').replace(/^slice-/, '')
      return [{ planBasename, sliceId, content, mtime: new Date(changedAt(root, ...folder, planBasename, entry.name)) }]
    }),
  )
  return newest(found, since).slice(0, limit)
}

export interface AutoSkill {
  sha256Prefix: string
  summary: string
  commands: string[]
  domainKeywords: string[]
  createdAt: string
  reuseCount: number
}

/** Collects recipes, the most used first. */
export function collectAutoSkills(root: string, { since, limit = 20 }: CollectOptions = {}): AutoSkill[] {
  const folder = ['.forge', 'skills-auto']
  return entriesOf(root, ...folder)
    .filter(({ name }) => name.endsWith('.md'))
    .flatMap(({ name }) => parseAutoSkillFrontmatter(readText(root, ...folder, name) ?? '') ?? [])
    .filter(({ createdAt }) => since === undefined || Date.parse(createdAt) >= since.getTime())
    .sort((a, b) => b.reuseCount - a.reuseCount)
    .slice(0, limit)
}

/** Reads the front matter of a recipe; null when it is none. */
export function parseAutoSkillFrontmatter(text: unknown): AutoSkill | null {
  const [, front] = /^---\r?\n([\s\S]*?)\r?\n---/.exec(typeof text === 'string' ? text : '') ?? []
  if (front === undefined) return null
  const value = (name: string) => new RegExp(`^[ \\t]*${name}:[ \\t]*(.*?)[ \\t]*$`, 'm').exec(front)?.[1] ?? ''
  const sha256Prefix = value('sha256Prefix')
  if (sha256Prefix === '') return null
  const [, commands = ''] = /^commands:[ \t]*\r?\n((?:[ \t]+- .*(?:\r?\n|$))*)/m.exec(front) ?? []
  const read = (json: string) => textIn(parseJson(json)) ?? json
  return {
    sha256Prefix,
    summary: read(value('summary')),
    commands: [...commands.matchAll(/^[ \t]+- (.*)$/gm)].map(([, json = '']) => read(json.trimEnd())),
    domainKeywords: listIn<string>(parseJson(value('domainKeywords'))),
    createdAt: value('createdAt'),
    reuseCount: Number(value('reuseCount')) || 0,
  }
}

export interface BrainDecision {
  key: string
  content: string
  mtime: Date
}

/** Collects what the older tool was told to remember, the newest first. */
export function collectBrainDecisions(root: string, { since, limit = 30 }: CollectOptions = {}): BrainDecision[] {
  const found = filesBelow(root, join('.forge', 'brain'), '').flatMap((path): BrainDecision[] => {
    const content = decisionIn(parseJson(readText(root, '.forge', 'brain', path) ?? ''))
    if (content === undefined) return []
    const key = path.replaceAll('\\', '/').replace(/\.json$/, '')
    return [{ key, content, mtime: new Date(changedAt(root, '.forge', 'brain', path)) }]
  })
  return newest(found, since).slice(0, limit)
}

function filesBelow(root: string, folder: string, path: string, depth = 0): string[] {
  return entriesOf(root, folder, path).flatMap((entry) => {
    const below = join(path, entry.name)
    if (entry.isDirectory()) return depth < DEPTH_MAX ? filesBelow(root, folder, below, depth + 1) : []
    return entry.name.endsWith('.json') ? [below] : []
  })
}

function decisionIn(value: unknown): string | undefined {
  const { content, value: inner } = fieldsIn(value) as Fields
  return textIn(content) ?? textIn(fieldsIn(inner).content) ?? textIn(inner)
}

function textAt(root: string, ...path: string[]): string {
  return (readText(root, ...path) ?? '').trim()
}

function newest<T extends { mtime: Date }>(found: T[], since: Date | undefined): T[] {
  const fresh = found.filter(({ mtime }) => since === undefined || mtime >= since)
  return fresh.sort((a, b) => b.mtime.getTime() - a.mtime.getTime())
}
