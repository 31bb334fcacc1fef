import { existsSync, readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const lib = fileURLToPath(new URL('../../lib/', import.meta.url))

/** The rooms of one name, as features have them: `plan-forge/commands`. */
export const roomsNamed = (name) =>
  readdirSync(lib)
    .map((room) => `${room}/${name}`)
    .filter((room) => existsSync(lib + room))
