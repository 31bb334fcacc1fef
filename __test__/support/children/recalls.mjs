// Looks records up by a word that only they have, and by nothing else.
import { recall } from '../../../index.js'
import { wordOf } from '../memory.mjs'
import { serve } from './child.mjs'

await serve(({ project, numbers }) => {
  return numbers.map((number) => {
    const { hits } = recall(`${wordOf(number)}aw`, { projectDir: project })
    return hits.map((hit) => hit.id)
  })
})
