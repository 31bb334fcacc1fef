import type { Tool } from '../answer/tool.js'
import { captureThoughtTool } from './capture.js'
import { memoryConflictsTool, memoryResolveTool } from './conflicts.js'
import { forgeMemoryCaptureTool, forgeMemoryReportTool, forgeSyncMemoriesTool } from './forge.js'
import { forgeHallmarkShowTool, forgeHallmarkVerifyTool } from './hallmark.js'
import { memoryHistoryTool } from './history.js'
import {
  forgeLatticeBlastTool,
  forgeLatticeCalleesTool,
  forgeLatticeCallersTool,
  forgeLatticeIndexTool,
  forgeLatticeQueryTool,
  forgeLatticeStatTool,
} from './lattice.js'
import { memoryForgetTool, memoryRecallTool, memorySaveTool } from './memory.js'
import { ralphMemoryClearTool, ralphMemoryListTool, ralphMemoryQueryTool } from './ralph.js'
import { memoryReplaceTool } from './replace.js'
import { memoryFeedbackTool, memoryReviewTool } from './review.js'
import { searchThoughtsTool } from './search.js'
import { memoryShowTool } from './show.js'
import { listThoughtsTool, thoughtStatsTool } from './thoughts.js'
import { forgeWatchTool } from './watch.js'

/** Every tool, in the order in which clients list them. */
export const tools: Tool[] = [
  memorySaveTool,
  memoryRecallTool,
  memoryShowTool,
  memoryReplaceTool,
  memoryForgetTool,
  memoryConflictsTool,
  memoryResolveTool,
  memoryReviewTool,
  memoryFeedbackTool,
  memoryHistoryTool,
  captureThoughtTool,
  searchThoughtsTool,
  listThoughtsTool,
  thoughtStatsTool,
  forgeMemoryCaptureTool,
  forgeMemoryReportTool,
  forgeSyncMemoriesTool,
  forgeWatchTool,
  forgeHallmarkShowTool,
  forgeHallmarkVerifyTool,
  forgeLatticeIndexTool,
  forgeLatticeStatTool,
  forgeLatticeQueryTool,
  forgeLatticeCallersTool,
  forgeLatticeCalleesTool,
  forgeLatticeBlastTool,
  ralphMemoryListTool,
  ralphMemoryQueryTool,
  ralphMemoryClearTool,
]
