// Serves a project until the parent goes away; says its address first.
import { createRequire } from 'node:module'

const { serve } = createRequire(import.meta.url)('../../dist/server/index.js')
const server = await serve({ projectDir: process.argv[2], port: 0, watch: false, drain: false })
process.send(server.url)
process.once('disconnect', () => server.close().then(() => process.exit(0)))
