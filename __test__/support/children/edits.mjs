// Edits one record over and over, and tells which revision each edit made.
import { editMemory } from '../../../index.js'
import { serve } from './child.mjs'

await serve(({ project, id, name, count }) => {
  return Array.from({ length: count }, (_, at) => {
    const { id: made, supersedes } = editMemory(id, { body: `edited by ${name}, ${at}` }, { projectDir: project })
    return { made, supersedes }
  })
})
