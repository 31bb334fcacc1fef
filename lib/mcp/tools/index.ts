import type { Tool } from '../tool.js'
import { forgeMemoryCaptureTool, forgeMemoryReportTool, forgeSyncMemoriesTool } from './forge.js'
import { memoryForgetTool, memoryRecallTool, memorySaveTool } from './memory.js'
import { ralphMemoryClearTool, ralphMemoryListTool, ralphMemoryQueryTool } from './ralph.js'
import { captureThoughtTool, listThoughtsTool, thoughtStatsTool } from './thoughts.js'

/** Every tool, in the order in which clients list them. */
export const tools: Tool[] = [
  memorySaveTool,
  memoryRecallTool,
  memoryForgetTool,
  captureThoughtTool,
  listThoughtsTool,
  thoughtStatsTool,
  forgeMemoryCaptureTool,
  forgeMemoryReportTool,
  forgeSyncMemoriesTool,
  ralphMemoryListTool,
  ralphMemoryQueryTool,
  ralphMemoryClearTool,
]
