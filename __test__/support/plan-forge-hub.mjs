// Hubs by the older tool's names, and clients of them.

import WebSocket from 'ws'
import { createHub, Hub } from '../../dist/plan-forge/index.js'
import { freshProject, warnings } from './plan-forge.mjs'
import { until } from './waiting.mjs'

export const EVENTS = '.forge/hub-events.jsonl'

/** A line of the log of a run. */
export const runLine = (type, data, at = '2026-11-20T10:00:00.000Z') => `[${at}] ${type}: ${JSON.stringify(data)}\n`

/** A hub without sockets, as tests of the older tool make one. */
export function bareHub(t) {
  const project = freshProject(t)
  const wss = { on: () => wss, close: () => undefined }
  const hub = new Hub(wss, 3101, project.cwd)
  t.after(() => hub.close())
  return { project, hub }
}

/** A hub that listens, and what it says at its start. */
export async function openHub(t, options = {}, prepare = () => undefined) {
  const project = freshProject(t)
  prepare(project)
  const made = {}
  const said = await warnings(async () => {
    made.hub = await createHub({ port: 0, cwd: project.cwd, ...options })
  })
  t.after(() => made.hub.close())
  return { project, hub: made.hub, said }
}

/** Connects as a client; resolves with what comes in, or with the status that refuses it. */
export function client(t, port, { query = '', headers = {} } = {}) {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/${query}`, { headers })
  t.after(() => socket.terminate())
  const events = []
  socket.on('message', (data) => events.push(JSON.parse(data)))
  return new Promise((resolve) => {
    socket.once('open', () => resolve({ socket, events }))
    socket.once('unexpected-response', (_, response) => resolve({ status: response.statusCode }))
    socket.once('error', () => undefined)
  })
}

/** Waits for an event of a type. */
export const seen = (events, type) => until(() => events.find((event) => event.type === type), `an event ${type}`)
