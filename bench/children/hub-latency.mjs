// Captures in another process; prints how long each took from the call to a subscriber, in milliseconds.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { createHub } from '../../dist/hub/index.js'
import { captureMemory } from '../../dist/index.js'
import { connectClient } from './hub-client.mjs'
import { report } from './process.mjs'

const now = () => performance.timeOrigin + performance.now()

if (process.send) {
  process.on('message', ({ dir, n, lessons }) => {
    const at = now()
    for (let more = 0; more < lessons; more += 1) {
      captureMemory(
        { type: 'note', body: `m${n}x${more} at ${at} ${Math.random()}`, tool: 'bench' },
        { projectDir: dir },
      )
    }
    process.send({ at })
  })
} else {
  const { dir, captures } = JSON.parse(process.argv[2])
  const hub = await createHub({ port: 0, projectDir: dir })
  let arrived
  await connectClient({ port: hub.port, token: hub.token, take: () => arrived?.(now()) })
  const writer = fork(fileURLToPath(import.meta.url), ['{}'])
  const times = []
  for (let n = 0; n < captures; n += 1) {
    const seen = new Promise((resolve) => {
      arrived = resolve
    })
    writer.send({ dir, n, lessons: 1 })
    const [[{ at }], end] = await Promise.all([once(writer, 'message'), seen])
    arrived = undefined
    times.push(end - at)
    await new Promise((resolve) => setTimeout(resolve, 7))
  }
  writer.kill()
  report({ times })
  process.exit(0)
}
