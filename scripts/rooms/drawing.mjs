// The drawings of docs/rooms.md: between its markers stands what the imports say.
import { join } from 'node:path'
import { findCircles, foldIntoRooms } from './graph.mjs'
import { drawnRoomOf } from './layers.mjs'
import { drawGraph, withoutDetours } from './mermaid.mjs'
import { importsBelow } from './typescript-imports.mjs'

/** The rooms of lib/. While they form a circle, every arrow is drawn; else those that say something new. */
export function drawLibrary(root) {
  const arrows = foldIntoRooms(importsBelow(join(root, 'lib')), drawnRoomOf)
  return drawGraph(findCircles(arrows).length > 0 ? arrows : withoutDetours(arrows))
}

/** Returns the text that stands between the markers of a drawing. */
export function drawingIn(text, name) {
  const [begin, end] = markers(name)
  const [, rest] = text.split(begin)
  if (rest === undefined || !rest.includes(end)) throw new Error(`there are no markers for the drawing ${name}`)
  return rest.slice(0, rest.indexOf(end)).trim()
}

/** Puts a drawing between its markers. */
export function withDrawing(text, name, drawing) {
  const [begin] = markers(name)
  const old = drawingIn(text, name)
  const at = text.indexOf(begin) + begin.length
  const start = text.indexOf(old, at)
  return `${text.slice(0, start)}${drawing}${text.slice(start + old.length)}`
}

function markers(name) {
  return [`<!-- drawing ${name}: written by scripts/draw-rooms.mjs -->`, `<!-- end of drawing ${name} -->`]
}
