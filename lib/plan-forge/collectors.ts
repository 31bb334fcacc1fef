// Reads the files that Plan Forge stores in a project besides thoughts: trajectory notes of slices, skills and
// decisions. Never writes.
import { join } from 'node:path'
import { parsedJson } from '../shared/json.js'
import { changedAt, entriesOf, readText } from './folder.js'
import { type Fields, fieldsIn, listIn, numberIn, optionsIn, textIn } from './soft.js'

/** The maximum depth of decision folders. */
const DEPTH_MAX = 8

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

/** Collects the trajectory notes of slices, newest first. */
export function collectTrajectories(root: string, options: CollectOptions = {}): Trajectory[] {
  const { since, limit } = optionsIn(options)
  const folder = ['.forge', 'trajectories']
  const found = entriesOf(root, ...folder).flatMap(({ name: planBasename }) =>
    entriesOf(root, ...folder, planBasename).flatMap((entry): Trajectory[] => {
      const content = entry.name.endsWith('.md') && readText(root, ...folder, planBasename, entry.name)?.trim()
      if (!content) return []
      const sliceId = entry.name.replace(/\.md$/, '').replace(/^slice-/, '')
      return [{ planBasename, sliceId, content, mtime: new Date(changedAt(root, ...folder, planBasename, entry.name)) }]
    }),
  )
  return newest(found, since).slice(0, numberIn(limit) ?? 50)
}

export interface AutoSkill {
  sha256Prefix: string
  summary: string
  commands: string[]
  domainKeywords: string[]
  createdAt: string
  reuseCount: number
}

/** Collects the auto-generated skills, most used first. */
export function collectAutoSkills(root: string, options: CollectOptions = {}): AutoSkill[] {
  const { since, limit } = optionsIn(options)
  const folder = ['.forge', 'skills-auto']
  return entriesOf(root, ...folder)
    .filter(({ name }) => name.endsWith('.md'))
    .flatMap(({ name }) => parseAutoSkillFrontmatter(readText(root, ...folder, name) ?? '') ?? [])
    .filter(({ createdAt }) => isSince(Date.parse(createdAt), since))
    .sort((a, b) => b.reuseCount - a.reuseCount)
    .slice(0, numberIn(limit) ?? 20)
}

/** Parses the front matter of a skill file; returns null when there is none. */
export function parseAutoSkillFrontmatter(text: unknown): AutoSkill | null {
  const [, front] = /^---\r?\n([\s\S]*?)\r?\n---/.exec(typeof text === 'string' ? text : '') ?? []
  if (front === undefined) return null
  const value = (name: string) => new RegExp(`^[ \\t]*${name}:[ \\t]*(.*?)[ \\t]*$`, 'm').exec(front)?.[1] ?? ''
  const sha256Prefix = value('sha256Prefix')
  if (sha256Prefix === '') return null
  const [, commands = ''] = /^commands:[ \t]*\r?\n((?:[ \t]+- .*(?:\r?\n|$))*)/m.exec(front) ?? []
  const read = (json: string) => textIn(parsedJson(json)) ?? json
  return {
    sha256Prefix,
    summary: read(value('summary')),
    commands: [...commands.matchAll(/^[ \t]+- (.*)$/gm)].map(([, json = '']) => read(json.trimEnd())),
    domainKeywords: listIn<string>(parsedJson(value('domainKeywords'))),
    createdAt: value('createdAt'),
    reuseCount: Number(value('reuseCount')) || 0,
  }
}

export interface BrainDecision {
  key: string
  content: string
  mtime: Date
}

/** Collects the decisions that Plan Forge has stored, newest first. */
export function collectBrainDecisions(root: string, options: CollectOptions = {}): BrainDecision[] {
  const { since, limit } = optionsIn(options)
  const found = filesBelow(root, join('.forge', 'brain'), '').flatMap((path): BrainDecision[] => {
    const content = decisionIn(parsedJson(readText(root, '.forge', 'brain', path) ?? ''))
    if (content === undefined) return []
    const key = path.replaceAll('\\', '/').replace(/\.json$/, '')
    return [{ key, content, mtime: new Date(changedAt(root, '.forge', 'brain', path)) }]
  })
  return newest(found, since).slice(0, numberIn(limit) ?? 30)
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

function newest<T extends { mtime: Date }>(found: T[], since: Date | undefined): T[] {
  const fresh = found.filter(({ mtime }) => isSince(mtime.getTime(), since))
  return fresh.sort((a, b) => b.mtime.getTime() - a.mtime.getTime())
}

function isSince(at: number, since: Date | undefined): boolean {
  return !(since instanceof Date) || at >= since.getTime()
}
