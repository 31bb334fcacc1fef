import { useState } from 'preact/hooks'
import { ask } from '../../connection/http.js'
import type { MapFile, MemoryList, MemoryMap } from '../../connection/shapes.js'
import { Choice } from '../../part/controls.js'
import { Card, Empty, Loaded, Trouble, Waiting } from '../../part/panels.js'
import { Back, Heading } from '../../shell/frame.js'
import { distance, now } from '../../show/moment.js'
import { counted, percent, whole } from '../../show/text.js'
import { type Box, treemap } from '../../show/treemap.js'
import { isNarrow } from '../../state/preferences.js'
import { useAnswer, useResources } from '../../state/resource.js'
import { addressOf, route } from '../../state/route.js'
import { useChange } from '../../state/search.js'
import { map } from '../../state/stores.js'
import { HitRow } from '../hit.js'

const SIZES = [
  { value: 'memories' as const, label: 'Size: memories' },
  { value: 'code' as const, label: 'Size: code' },
]
const COLOURS = [
  { value: 'memories' as const, label: 'Colour: memories' },
  { value: 'age' as const, label: 'Colour: age' },
  { value: 'failures' as const, label: 'Colour: pitfalls' },
]
type Size = (typeof SIZES)[number]['value']
type Colour = (typeof COLOURS)[number]['value']

/** The sides of the picture, in units of its own. */
const WIDE: Box = { x: 0, y: 0, width: 200, height: 90 }
const HIGH: Box = { x: 0, y: 0, width: 100, height: 140 }
/** The room for the name of a folder. */
const HEAD = 5
const DAY_MS = 86_400_000
/** A newest memory of so many days makes a file wholly old. */
const OLD_DAYS = 180
/** Of a file that is gone there is no code; it is drawn as a small one. */
const GONE_BYTES = 500

interface Folder {
  name: string
  files: MapFile[]
  size: number
}

const sizeOf = ({ memories, bytes }: MapFile, size: Size): number =>
  size === 'memories' ? memories : Math.max(bytes ?? GONE_BYTES, GONE_BYTES)

/** Files without memories are drawn where their code is what counts. */
function foldersOf(files: MapFile[], size: Size): Folder[] {
  const folders = new Map<string, Folder>()
  for (const file of files
    .filter(({ memories }) => memories > 0 || size === 'code')
    .sort((a, b) => sizeOf(b, size) - sizeOf(a, size))) {
    const name = file.path.slice(0, Math.max(0, file.path.lastIndexOf('/')))
    const folder = folders.get(name) ?? { name, files: [], size: 0 }
    folder.files.push(file)
    folder.size += sizeOf(file, size)
    folders.set(name, folder)
  }
  return [...folders.values()].sort((a, b) => b.size - a.size)
}

/** How strongly a file is coloured, 0 to 1: by the number of memories, the share of pitfalls, or the age of what is known about it. */
function strengthOf({ memories, gotchas, newest = '' }: MapFile, colour: Colour, most: number): number {
  if (colour === 'memories') return memories / most
  if (colour === 'failures') return gotchas / memories
  return Math.min(1, Math.max(0, (now.peek() - Date.parse(newest)) / DAY_MS / OLD_DAYS))
}

function wordsOf({ path, memories, gotchas, newest, bytes }: MapFile): string {
  if (newest === undefined) return `${path}: nothing is known about it`
  const gone = bytes === undefined ? '; the file is gone' : ''
  return `${path}: ${counted(memories, 'memory', 'memories')}, ${counted(gotchas, 'pitfall')}, the newest ${distance(newest)}${gone}`
}

const placed = ({ x, y, width, height }: Box, { width: all, height: high }: Box) => ({
  left: `${(100 * x) / all}%`,
  top: `${(100 * y) / high}%`,
  width: `${(100 * width) / all}%`,
  height: `${(100 * height) / high}%`,
})

/** A file: a link to what is known about it, if anything is. */
function Tile({ file, colour, most }: { file: MapFile; colour: Colour; most: number }) {
  const { path, memories, bytes } = file
  const name = path.slice(path.lastIndexOf('/') + 1)
  if (memories === 0)
    return (
      <span class="tile is-blank" title={wordsOf(file)}>
        {name}
      </span>
    )
  return (
    <a
      class={`tile is-${colour} ${bytes === undefined ? 'is-gone' : ''}`}
      style={{ '--strength': `${Math.round(5 + 40 * strengthOf(file, colour, most))}%` }}
      href={addressOf('memories', 'map', { path })}
      aria-current={path === route.value.query.get('path') ? 'true' : undefined}
      aria-label={wordsOf(file)}
      title={wordsOf(file)}
    >
      <span>{name}</span> <span class="note">{memories}</span>
    </a>
  )
}

function Picture({ found, size, colour }: { found: MemoryMap; size: Size; colour: Colour }) {
  const whole = isNarrow.value ? HIGH : WIDE
  const folders = foldersOf(found.files, size)
  const boxes = treemap(
    folders.map((folder) => folder.size),
    whole,
  )
  const most = Math.max(...found.files.map(({ memories }) => memories))
  return (
    <ul class="map" aria-label="Files by what is known about them" style={{ aspectRatio: whole.width / whole.height }}>
      {folders.map((folder, at) => {
        const box = boxes[at] ?? whole
        const hasHead = box.height > HEAD * 2
        const inner = hasHead ? { ...box, y: box.y + HEAD, height: box.height - HEAD } : box
        const tiles = treemap(
          folder.files.map((file) => sizeOf(file, size)),
          inner,
        )
        return [
          hasHead && (
            <li key={`${folder.name}/`} class="map-folder clip" style={placed({ ...box, height: HEAD }, whole)}>
              {folder.name || 'top folder'}
            </li>
          ),
          ...folder.files.map((file, place) => (
            <li key={file.path} style={placed(tiles[place] ?? inner, whole)}>
              <Tile file={file} colour={colour} most={most} />
            </li>
          )),
        ]
      })}
    </ul>
  )
}

function LessonsOf({ path }: { path: string }) {
  const change = useChange()
  const load = (signal: AbortSignal) => ask<MemoryList>('/api/memory/map/lessons', { query: { path }, signal })
  const { found, problem } = useAnswer(`${path} ${change}`, load, 0)
  if (problem) return <Trouble problem={problem} />
  if (!found) return <Waiting lines={3} />
  return (
    <Card title={path} note={counted(found.total, 'memory', 'memories')} class="map-lessons">
      <ul class="recall-hits" aria-label={`What is known about ${path}`}>
        {found.entries.map((hit) => (
          <li key={hit.id}>
            <HitRow hit={hit} />
          </li>
        ))}
      </ul>
    </Card>
  )
}

const ENDS: Record<Colour, [string, string]> = {
  memories: ['one memory', 'most memories'],
  age: ['learned lately', 'half a year old'],
  failures: ['no pitfall', 'only pitfalls'],
}

function Legend({ colour, size, blank }: { colour: Colour; size: Size; blank: number }) {
  const [weak, strong] = ENDS[colour]
  return (
    <p class="note flow map-legend">
      <span>
        <span class={`tile swatch is-${colour}`} style={{ '--strength': '5%' }} /> {weak}
      </span>
      <span>
        <span class={`tile swatch is-${colour}`} style={{ '--strength': '45%' }} /> {strong}
      </span>
      <span>
        <span class="tile swatch is-gone" /> the file is gone
      </span>
      {blank > 0 && size === 'code' && (
        <span>
          <span class="tile swatch is-blank" /> nothing is known ({counted(blank, 'file')})
        </span>
      )}
    </p>
  )
}

const blankOf = ({ files }: MemoryMap): number => files.filter(({ memories }) => memories === 0).length

/** A picture of the memory: the files of the project, as far as it has a code graph, and what is known about them, by folder. */
export function MapView() {
  useResources(map)
  const [chosen, setSize] = useState<Size>()
  // With the code graph, the map is one of the whole project.
  const size = chosen ?? (map.value.value && blankOf(map.value.value) > 0 ? 'code' : 'memories')
  const [colour, setColour] = useState<Colour>('age')
  const path = route.value.query.get('path') ?? ''
  return (
    <>
      <Back address={addressOf('memories')} />
      <Heading title="Map">What this memory knows about which part of the project</Heading>
      <Loaded from={map} lines={6}>
        {(found) =>
          found.located === 0 ? (
            <Empty title="No memory names a file yet">A lesson that names one, such as src/cart.ts, comes here.</Empty>
          ) : (
            <>
              <div class="row map-bar">
                <Choice label="Size" options={SIZES} value={size} onChange={setSize} />
                <Choice label="Colour" options={COLOURS} value={colour} onChange={setColour} />
                <span class="note" role="status">
                  {whole(found.located)} of {counted(found.records, 'memory', 'memories')} name a file (
                  {percent(found.located, found.records)})
                  {found.more > 0 && `; ${whole(found.more)} files are left out`}
                </span>
              </div>
              <Picture found={found} size={size} colour={colour} />
              <Legend colour={colour} size={size} blank={blankOf(found)} />
              {path !== '' && <LessonsOf path={path} />}
            </>
          )
        }
      </Loaded>
    </>
  )
}
