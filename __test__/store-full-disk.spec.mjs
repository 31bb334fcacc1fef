// The disk of the database is full: a real one, where this user may mount a small file system for a tablespace.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { after, before } from 'node:test'
import { PostgresStore } from '../dist/openbrain/postgres/store.js'
import { execute, startPostgres } from './support/postgres.mjs'
import { asking, kinds, storing, thought } from './support/thoughts.mjs'

let server
before(async () => {
  server = await startPostgres()
})
after(() => server?.close())

/** A disk with so many mebibytes for the user of the server; undefined where none may be mounted. */
function smallDisk(t, megabytes) {
  if (server.kind !== 'postgres' || process.platform !== 'linux' || process.getuid() !== 0) return undefined
  const folder = mkdtempSync(join(tmpdir(), 'forge-memory-disk-'))
  chmodSync(folder, 0o755)
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder])
  t.after(async () => {
    if (status === 0) {
      await server.stop('immediate')
      spawnSync('umount', ['-l', folder])
    }
    rmSync(folder, { recursive: true, force: true })
  })
  if (status !== 0) return undefined
  const place = join(folder, 'tables')
  mkdirSync(place)
  const { uid, gid } = statSync(server.data)
  chownSync(place, uid, gid)
  return { place, filler: join(folder, 'filler') }
}

const LONG = () => randomBytes(3000).toString('base64')

test('a disk that is full loses nothing: what was delivered is there, the rest is delivered when there is room', async (t) => {
  const disk = smallDisk(t, 32)
  if (disk === undefined) return t.diagnostic('no small disk can be mounted here; store-command.spec simulates it')
  writeFileSync(disk.filler, Buffer.alloc(12 << 20))
  const url = await server.database()
  await execute(url, `create tablespace tiny location '${disk.place}'`)
  await execute(url, `alter database ${new URL(url).pathname.slice(1)} set default_tablespace = tiny`)
  const store = new PostgresStore({ backend: 'postgres', url: new URL(url), password: undefined })
  t.after(() => store.close())
  const first = thought('the release is on monday')
  await store.put(storing(first))
  const stored = [first.id]
  const waiting = []
  let reason
  for (let round = 0; round < 60 && reason === undefined; round += 1) {
    const batch = Array.from({ length: 100 }, (_, at) => thought(`round ${round} number ${at} ${LONG()}`))
    const outcomes = await store.put(storing(...batch))
    const isDelivered = outcomes.every(({ kind }) => kind === 'delivered')
    if (isDelivered) stored.push(...batch.map(({ id }) => id))
    else {
      reason = outcomes.find(({ kind }) => kind !== 'delivered')
      waiting.push(...batch)
    }
  }
  assert.equal(reason?.kind, 'busy', 'the disk is full')
  assert.match(reason.reason, /No space left on device \(53100\): its disk is full: free some space; deliveries wait/)
  assert.equal((await store.search(asking('release monday'))).thoughts[0].id, first.id, 'searches go on')
  rmSync(disk.filler)
  assert.ok(kinds(await store.put(storing(...waiting))).every((kind) => kind === 'delivered'))
  stored.push(...waiting.map(({ id }) => id))
  const rows = await execute(url, 'select id from forge_memory.thoughts')
  assert.deepEqual(rows.map(({ id }) => id).sort(), stored.sort(), 'lost 0, doubled 0')
  t.diagnostic(`full after ${stored.length - waiting.length} thoughts`)
})
