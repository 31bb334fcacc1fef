// A database of several people: set up by the command, with a role of its own for each.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freshCommand, runBeside } from './command.mjs'
import { execute } from './postgres.mjs'
import { opened } from './postgres-store.mjs'
import { approveStores } from './trust.mjs'

/** Roles belong to a whole server, so that each test has people of its own. */
let counter = 0
export const nameOf = (who) => `${who}_${++counter}`

/** Roles belong to one database each. */
export const roleIn = (url, role) => `${role}_${new URL(url).pathname.slice(1)}`

export function openedBy(t, url, embedder, person) {
  return opened(t, url, embedder, { person: async () => person ?? '' })
}

export function configured(t, url, more = {}) {
  const command = freshCommand(t)
  const settings = { projectName: 'shop', openbrain: { url }, embedder: { kind: 'none' }, ...more }
  writeFileSync(join(command.project, '.forge.json'), JSON.stringify(settings))
  approveStores(command.project, command.home)
  return command
}

/** Sets a new database up with the command, and makes people with their addresses. */
export async function foundCompany(t, server, { roles, flags = [] }) {
  const url = await server.database()
  const command = configured(t, url)
  const applied = await runBeside(command, ['store', 'init', '--apply', ...flags])
  assert.equal(applied.status, 0, applied.stderr)
  const addresses = []
  for (const [who, role] of roles) {
    const name = nameOf(who)
    await execute(url, `create role ${name} login${role === undefined ? '' : ` in role ${roleIn(url, role)}`}`)
    t.after(() => execute(url, `drop owned by ${name}`).then(() => execute(url, `drop role ${name}`)))
    addresses.push(url.replace('openbrain@', `${name}@`))
  }
  return { url, command, addresses, names: addresses.map((address) => new URL(address).username) }
}
