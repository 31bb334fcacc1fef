// What the first search of a process costs from afar, through a relay that delays and counts: with nothing kept from an earlier process, and after one;
// by a user without a password, and by one who proves a password, which takes two round trips more.
//   node bench/first-search.mjs [--away 80] [--rounds 5]
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execute, startPostgres } from '../__test__/support/postgres.mjs'
import { asking, storing, thought } from '../__test__/support/thoughts.mjs'
import { openWire } from '../__test__/support/wire.mjs'
import { PostgresStore } from '../dist/openbrain/postgres/store.js'
import { option } from './harness/option.mjs'

const away = option('--away', 80)
const rounds = option('--rounds', 5)
process.env.FORGE_HOME = mkdtempSync(join(tmpdir(), 'forge-memory-first-'))

const server = await startPostgres()
const url = await server.database()
const open = (address, password) =>
  new PostgresStore({ backend: 'postgres', url: new URL(address), password }, undefined)
const near = open(url)
await near.put(storing(...Array.from({ length: 40 }, (_, at) => thought(`the deploy note number ${at}`))))
await near.close()
await execute(url, "create role anna login superuser password 'secret'")
const rules = join(server.data, 'pg_hba.conf')
writeFileSync(rules, `host all anna 127.0.0.1/32 scram-sha-256\n${readFileSync(rules, 'utf8')}`)
await execute(url, 'select pg_reload_conf()')

const wire = await openWire(undefined, server.port, { roundTripMs: away })
const far = url.replace(`:${server.port}/`, `:${wire.port}/`)
const users = { 'without a password': [far], 'with a password': [far.replace('openbrain@', 'anna@'), 'secret'] }
for (const [who, [address, password]] of Object.entries(users)) {
  for (const isKept of [false, true]) {
    const times = []
    for (let round = 0; round < rounds; round += 1) {
      if (!isKept) rmSync(join(process.env.FORGE_HOME, 'store-surveys.json'), { force: true })
      wire.reset()
      const started = performance.now()
      const store = open(address, password)
      await store.search(asking('deploy'))
      times.push(performance.now() - started)
      await store.close()
    }
    const { connections, roundTrips } = wire.counts
    const median = times.toSorted((a, b) => a - b)[Math.floor(rounds / 2)].toFixed(0)
    process.stdout.write(
      `${away} ms away, ${who}, ${isKept ? 'after another process' : 'the very first'}: ${median} ms; connections ${connections}, round trips for statements ${roundTrips}\n`,
    )
  }
}
wire.close()
await server.close()
rmSync(process.env.FORGE_HOME, { recursive: true, force: true })
