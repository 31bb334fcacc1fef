// Recalls and lists until it is stopped; reports every incomplete result.
import { listMemories, recall } from '../../../index.js'
import { serve } from './child.mjs'

let isStopped = false
process.on('message', (message) => {
  if (message.stop) isStopped = true
})

const turn = () => new Promise((resolve) => setImmediate(resolve))

await serve(async ({ project, pattern }) => {
  const whole = new RegExp(pattern)
  const wrong = []
  const sizes = []
  let reads = 0
  for (let isLast = false; !isLast; reads++) {
    isLast = isStopped
    const { hits, searched, message } = recall('lesson', { projectDir: project, limit: 20 })
    const { entries, total } = listMemories({ projectDir: project, limit: 20 })
    const broken = [...hits, ...entries].filter((hit) => !whole.test(hit.text) || !/^mem_[0-9a-f]{32}$/.test(hit.id))
    if (broken.length > 0) wrong.push({ broken })
    if (message !== undefined && message !== 'No memories found.') wrong.push({ message })
    if (searched < (sizes.at(-1) ?? 0) || total < searched) wrong.push({ searched, total, before: sizes.at(-1) })
    if (searched !== sizes.at(-1)) sizes.push(searched)
    process.send({ read: searched })
    await turn()
  }
  return { wrong: wrong.slice(0, 5), sizes, reads }
})
