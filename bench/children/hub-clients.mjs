// Connects many clients and says when the awaited number of frames has come.
import { connectClient } from './hub-client.mjs'

process.once('message', async ({ port, token, groups, frames }) => {
  const clients = []
  for (const { count, handles } of groups) {
    for (let at = 0; at < count; at += 1) clients.push(await connectClient({ port, token, handles }))
  }
  process.send('connected')
  const timer = setInterval(() => {
    if (clients.reduce((sum, { counter }) => sum + counter.frames, 0) < frames) return
    clearInterval(timer)
    process.send('done', () => process.exit(0))
  }, 1)
})
