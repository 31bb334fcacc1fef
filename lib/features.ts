// The features at the rim. Each is a folder with its own code, its commands in `commands/`, which the build finds, and a line here: a feature
// is left out by deleting both.

import type { Route } from './http/router.js'
import type { Hub } from './hub/hub.js'
import type { Tool } from './mcp/answer/tool.js'

export interface Feature {
  /** The name of the profile that its MCP tools are; without one, they are among all tools. */
  profile?: string
  /** The tool before which clients list those of a feature without a profile; they are the last ones when it is not there. */
  before?: string
  loadTools(): Promise<{ tools: Tool[]; instructions?: string }>
  /** Loads what makes the routes of a server. */
  loadRoutes(): Promise<(projectDir: string, hub: Hub) => Route[]>
}

const FEATURES: (() => Promise<Feature>)[] = [
  // Each on a line of its own.
  () => import('./lattice/feature/feature.js'),
  () => import('./plan-forge/feature/feature.js'),
  () => import('./sessions/feature/feature.js'),
]

/** Loads what the features add. */
export const loadFeatures = (): Promise<Feature[]> => Promise.all(FEATURES.map((load) => load()))
