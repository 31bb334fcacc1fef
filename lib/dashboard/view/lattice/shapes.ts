// The answers of the code graph, as far as this page reads them.
import type { Symbol as CodeSymbol } from '../../connection/shapes.js'

export interface LatticeStat {
  filesIndexed?: number
  chunks: number
  edges: number
  resolvedEdges?: number
  languages: Record<string, number>
  lastIndexedAt: string | null
  indexBytes?: number
  hottest?: (CodeSymbol & { callers: number })[]
}

/** Lists of symbols are told under one of these names. */
export interface SymbolAnswer {
  chunks?: CodeSymbol[]
  callers?: CodeSymbol[]
  callees?: CodeSymbol[]
  nodes?: CodeSymbol[]
  total?: number
  message?: string
}

export function symbolsOf(answer: SymbolAnswer): CodeSymbol[] {
  return answer.chunks ?? answer.callers ?? answer.callees ?? answer.nodes ?? []
}

export type { CodeSymbol }
