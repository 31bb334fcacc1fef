// A pooler in transaction mode, as a process that can be killed: node pooler.mjs PORT_OF_THE_SERVER PORT
import { openPooler } from '../../__test__/support/wire.mjs'

const [server, at] = process.argv.slice(2).map(Number)
await openPooler(undefined, server, { size: 4, at })
