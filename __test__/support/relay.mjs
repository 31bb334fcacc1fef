// A proxy that delays requests: they arrive when the test releases them, even after the client's timeout.
import { once } from 'node:events'
import http from 'node:http'

/** Starts a relay to a port of this machine. `hold(isIt, times)` holds the next requests that `isIt(method, url, body)` fits. */
export async function startRelay(t, port) {
  const state = { isIt: () => false, times: 0 }
  const held = []
  const relay = http.createServer(async (request, response) => {
    response.on('error', () => undefined)
    const chunks = []
    for await (const chunk of request) chunks.push(chunk)
    const body = Buffer.concat(chunks)
    const { method, url, headers } = request
    if (state.times > 0 && state.isIt(method, url, body.toString('utf8'))) {
      state.times -= 1
      await new Promise((release) => held.push(release))
    }
    const { host: _, ...others } = headers
    const onward = http.request({ host: '127.0.0.1', port, method, path: url, headers: others }, (answer) => {
      response.writeHead(answer.statusCode, answer.headers)
      answer.pipe(response)
    })
    onward.on('error', () => response.destroy())
    onward.end(body)
  })
  relay.listen(0, '127.0.0.1')
  await once(relay, 'listening')
  t.after(() => {
    relay.closeAllConnections()
    relay.close()
  })
  return {
    url: `http://127.0.0.1:${relay.address().port}`,
    held,
    hold: (isIt, times = 1) => Object.assign(state, { isIt, times }),
    release: () => {
      for (const release of held.splice(0)) release()
    },
  }
}
