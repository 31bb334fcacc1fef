import { once } from 'node:events'
import WebSocket from 'ws'

/** Connects to a hub and keeps what comes; every wait ends with the test's own patience. */
export async function subscribe(t, hub, { query = {}, headers = {}, token = hub.token } = {}) {
  const search = new URLSearchParams({ ...(token === null ? {} : { token }), ...query })
  const ws = new WebSocket(`ws://127.0.0.1:${hub.port}/hub?${search}`, { headers })
  t.after(() => ws.terminate())
  const events = []
  const waiting = new Set()
  ws.on('message', (data) => {
    events.push(JSON.parse(String(data)))
    for (const look of waiting) look()
  })
  const closed = new Promise((resolve) => ws.once('close', (code, reason) => resolve({ code, reason: String(reason) })))
  ws.on('error', () => undefined)
  /** Resolves with the events when `enough` holds of them. */
  const until = (enough, what = 'events') =>
    new Promise((resolve, reject) => {
      const give = setTimeout(() => {
        waiting.delete(look)
        reject(new Error(`no ${what}; there are ${JSON.stringify(events).slice(0, 2000)}`))
      }, 60_000)
      const look = () => {
        if (!enough(events)) return
        clearTimeout(give)
        waiting.delete(look)
        resolve(events)
      }
      waiting.add(look)
      look()
    })
  const subscriber = {
    ws,
    events,
    closed,
    until,
    send: (message) => ws.send(typeof message === 'string' ? message : JSON.stringify(message)),
    of: (type) => events.filter((event) => event.type === type),
    first: async (type) =>
      (await until((all) => all.some((event) => event.type === type), type)).find((e) => e.type === type),
    live: () => until((all) => all.some(({ type }) => type === 'live'), 'live'),
  }
  await once(ws, 'open')
  return subscriber
}

/** Tries to connect and returns the answer of a server that refuses. */
export function refusal(hub, { query = {}, headers = {}, token = hub.token, path = '/hub' } = {}) {
  const search = new URLSearchParams({ ...(token === null ? {} : { token }), ...query })
  const ws = new WebSocket(`ws://127.0.0.1:${hub.port}${path}?${search}`, { headers })
  return new Promise((resolve, reject) => {
    ws.once('open', () => {
      ws.terminate()
      reject(new Error('it was let in'))
    })
    ws.on('error', () => undefined)
    ws.once('unexpected-response', (_, response) => {
      let text = ''
      response.on('data', (chunk) => {
        text += chunk
      })
      response.on('end', () => resolve({ status: response.statusCode, ...JSON.parse(text).error }))
    })
  })
}
