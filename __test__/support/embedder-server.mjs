// An embedder on this machine that answers as Ollama and as OpenAI do. Words of one meaning get one direction.
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import http from 'node:http'

const MEANINGS = [
  ['auth', 'login', 'signin', 'credentials', 'password'],
  ['money', 'price', 'cents', 'currency', 'invoice'],
  ['slow', 'latency', 'sluggish', 'performance'],
]

function directionOf(word, dimensions) {
  const group = MEANINGS.findIndex((words) => words.includes(word))
  const name = group < 0 ? word : `meaning ${group}`
  return createHash('sha256').update(name).digest().readUInt32LE(0) % dimensions
}

function vectorOf(text, { dimensions, common }) {
  const vector = new Array(dimensions).fill(0)
  vector[0] = common
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? ['']) vector[directionOf(word, dimensions)] += 1
  const length = Math.hypot(...vector)
  return vector.map((value) => value / length)
}

/** Starts the server. `common` is what all vectors have in common, which brings all cosines near to 1. `fault` may be set to `{ status, body }` or to `'hang'`, `refuses` to a text that it fails on. */
export async function startEmbedder({ dimensions = 64, common = 0, key } = {}) {
  const state = { dimensions, common, fault: undefined, texts: 0, requests: [] }
  const server = http.createServer(async (request, response) => {
    const chunks = []
    for await (const chunk of request) chunks.push(chunk)
    state.requests.push({ url: request.url, headers: request.headers })
    const send = (status, value) => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
    }
    if (state.fault === 'hang') return
    if (state.fault !== undefined) return send(state.fault.status, state.fault.body)
    if (key !== undefined && request.headers.authorization !== `Bearer ${key}`)
      return send(401, { error: { message: 'no' } })
    const { model, input } = JSON.parse(Buffer.concat(chunks).toString('utf8'))
    if (model === 'absent') return send(404, { error: `model "${model}" not found, try pulling it first` })
    const texts = [input].flat()
    if (state.refuses !== undefined && texts.some((text) => text.includes(state.refuses))) {
      return send(500, { error: 'embed failed' })
    }
    state.texts += texts.length
    const vectors = texts.map((text) => vectorOf(text, state))
    if (request.url === '/api/embed') return send(200, { model, embeddings: vectors })
    if (request.url === '/v1/embeddings') {
      // Out of order on purpose: the items say their own place.
      return send(200, { data: vectors.map((embedding, index) => ({ index, embedding })).reverse() })
    }
    return send(404, { error: 'not found' })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${server.address().port}`
  const close = async () => {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  }
  return { state, url, close }
}
