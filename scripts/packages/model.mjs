// The content common to all packages, taken from the package's own manifest, the table of hosts, and the skills.
import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const root = fileURLToPath(new URL('../..', import.meta.url))
const require = createRequire(import.meta.url)
const { entryFor, instructionsFor } = require('../../dist/init/agents.js')
const { hooks } = require('../../dist/init/edits.js')
const { HOSTS } = require('../../dist/init/hosts.js')
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

/** The name of the server, of every package and of the command. */
export const NAME = 'forge-memory'
/** At most 100 characters, the limit of the MCP registry and of some hosts. */
const DESCRIPTION = 'Durable memory for coding agents: plain files in your project, recalled when they matter'
const AUTHOR = { name: 'forge-memory contributors', url: 'https://github.com/forge-memory' }

export const identity = {
  name: NAME,
  version: manifest.version,
  description: DESCRIPTION,
  author: AUTHOR,
  homepage: manifest.homepage,
  repository: manifest.repository.url.replace(/^git\+/, '').replace(/\.git$/, ''),
  license: manifest.license,
  keywords: ['memory', 'agent', 'lessons', 'recall', 'mcp'],
  mcpName: manifest.mcpName,
}

/** The command of the server: the installed program, never one that is downloaded by name. */
export const launch = { command: NAME, args: ['mcp'] }

export const instructions = instructionsFor([])

/** Returns the file of hooks that `init` would write for an installed program, as an object. */
export function hooksOf(agent) {
  const site = { project: '', scope: 'user', program: 'installed' }
  const lists = HOSTS[agent].hooks.user[0]
  return JSON.parse(hooks('hooks.json', lists.events, entryFor(lists, site), lists.head ?? {}).put(''))
}

/** Front matter of a skill that only some hosts support. */
const HOST_ONLY = /^argument-hint: .*\n/m

/** Returns the files of all skills, in the form that every host supports. */
export function skillFiles() {
  const names = readdirSync(join(root, 'skills')).sort()
  return Object.fromEntries(
    names.map((name) => {
      const path = `skills/${name}/SKILL.md`
      return [path, readFileSync(join(root, path), 'utf8').replace(HOST_ONLY, '')]
    }),
  )
}
