// Serves PGlite on a port: node pglite.mjs MODULES FOLDER PORT
import { createRequire } from 'node:module'
import { join } from 'node:path'

const [modules, folder, port] = process.argv.slice(2)
const require = createRequire(join(modules, 'package.json'))
const { PGlite } = require('@electric-sql/pglite')
const { vector } = require('@electric-sql/pglite-pgvector')
const { PGLiteSocketServer } = require('@electric-sql/pglite-socket')

const db = await PGlite.create(folder, { extensions: { vector } })
await db.exec('create extension if not exists vector')
const server = new PGLiteSocketServer({ db, port: Number(port), host: '127.0.0.1', maxConnections: 100 })
await server.start()
console.log('ready')
