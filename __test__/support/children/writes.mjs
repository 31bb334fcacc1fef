// Tries to write where nothing can be written, and tells what was answered.
import { captureMemory, memorySave } from '../../../index.js'

const { project, user } = JSON.parse(process.argv[2])
if (user !== undefined) process.setuid(user)

const options = { projectDir: project }
const { captured, deduped, tiers } = captureMemory({ type: 'lesson', body: 'cannot be stored' }, options)
const saves = ['project', 'global'].map((scope) => {
  try {
    return memorySave({ pattern: 'cannot be stored', category: 'convention', scope }, options).message
  } catch (error) {
    return error.code
  }
})
console.log(JSON.stringify({ captured, deduped, tiers: Object.values(tiers).map(({ ok }) => ok), saves }))
