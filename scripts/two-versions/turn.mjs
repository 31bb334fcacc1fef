// One capture and one recall, with what a command does at its end:  node turn.mjs LIBRARY PROJECT NAME
import { createRequire } from 'node:module'
import { ownText } from './texts.mjs'

const [library, projectDir, name] = process.argv.slice(2)
const { captureMemory, recall, settleIndex } = createRequire(import.meta.url)(library)
captureMemory({ type: 'lesson', body: ownText(name, 0), tool: 'two-versions' }, { projectDir })
recall(ownText(name, 0), { projectDir })
settleIndex({ projectDir })
