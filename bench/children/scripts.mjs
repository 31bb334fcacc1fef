// Captures lessons in other scripts and asks for each of them.
import { SCRIPTS } from '../data/scripts.mjs'
import { input, loadAddon, report } from './process.mjs'

const { captureMemory, recall } = loadAddon()
const options = { projectDir: input.dir }
const ids = SCRIPTS.map(({ text }) => captureMemory({ tool: 'forge_bench', type: 'lesson', body: text }, options).id)
const isFound = ({ query }, at) => recall(query, { ...options, limit: 10 }).hits.some((hit) => hit.id === ids[at])
const missed = SCRIPTS.filter((entry, at) => !isFound(entry, at))
report({ found: SCRIPTS.length - missed.length, missed: missed.map(({ script, query }) => `${script} "${query}"`) })
