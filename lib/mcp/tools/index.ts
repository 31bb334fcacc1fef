import type { Tool } from '../answer/tool.js'
import { captureThoughtTool } from './capture.js'
import { conflictTools } from './conflicts.js'
import { forgeTools } from './forge.js'
import { hallmarkTools } from './hallmark.js'
import { memoryRecallTool, memorySaveTool } from './memory.js'
import { ralphTools } from './ralph.js'
import { memoryForgetTool, memoryReplaceTool } from './replace.js'
import { reviewTools } from './review.js'
import { searchThoughtsTool } from './search.js'
import { memoryShowTool } from './show.js'
import { thoughtTools } from './thoughts.js'
import { forgeWatchTool } from './watch.js'

/** Every tool that is not one of a feature, in the order in which clients list them. */
export const tools: Tool[] = [
  memorySaveTool,
  memoryRecallTool,
  memoryShowTool,
  memoryReplaceTool,
  memoryForgetTool,
  ...conflictTools,
  ...reviewTools,
  captureThoughtTool,
  searchThoughtsTool,
  ...thoughtTools,
  ...forgeTools,
  forgeWatchTool,
  ...hallmarkTools,
  ...ralphTools,
]
