import type { Tool } from '../answer/tool.js'
import { captureThoughtTool } from './capture.js'
import { memoryRecallTool } from './memory.js'
import { memoryForgetTool, memoryReplaceTool } from './replace.js'
import { searchThoughtsTool } from './search.js'
import { memoryShowTool } from './show.js'

/** The tools of an agent in a session, few enough for every context, in the order in which clients list them. */
export const coreTools: Tool[] = [
  memoryRecallTool,
  memoryShowTool,
  captureThoughtTool,
  memoryReplaceTool,
  searchThoughtsTool,
  memoryForgetTool,
]
