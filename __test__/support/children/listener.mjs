// Tells every event that a hub hears, without its text, until it is killed.
import { writeSync } from 'node:fs'
import { createHub } from '../../../dist/hub/index.js'

const [projectDir] = process.argv.slice(2)
const tell = (event) => writeSync(1, `${JSON.stringify(event)}\n`)
const hub = await createHub({ port: 0, projectDir })
hub.on('event', ({ type, seq, writer, n }) => tell({ type, seq, writer, n }))
tell({ type: 'ready' })
