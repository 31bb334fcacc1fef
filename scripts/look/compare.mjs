// Compares two takes, picture by picture.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import pixelmatch from 'pixelmatch'
import { PNG } from 'pngjs'

/** How far the colours of a pixel may lie apart, from 0 to 1; below it is the smoothing of letters. */
const THRESHOLD = 0.1

/** Returns the names of the pictures below a folder, without their ending. */
export function pictureNames(folder) {
  return readdirSync(folder, { recursive: true })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => path.endsWith('.png') && !path.startsWith('changed/') && !path.startsWith('sheets/'))
    .map((path) => path.slice(0, -'.png'.length))
    .sort()
}

const readPicture = (folder, name) => PNG.sync.read(readFileSync(join(folder, `${name}.png`)))

/** Returns a picture with empty room added, so that pictures of different sizes can be compared. */
function padded(picture, width, height) {
  const room = new PNG({ width, height, fill: true })
  PNG.bitblt(picture, room, 0, 0, picture.width, picture.height, 0, 0)
  return room
}

/** Compares one picture. `pixels` is how many differ; `marked` is the new one with those in red. */
function comparePicture(before, after) {
  const [width, height] = [Math.max(before.width, after.width), Math.max(before.height, after.height)]
  const marked = new PNG({ width, height })
  const [one, other] = [before, after].map((picture) => padded(picture, width, height).data)
  const pixels = pixelmatch(one, other, marked.data, width, height, { threshold: THRESHOLD })
  const isResized = before.width !== after.width || before.height !== after.height
  return { pixels, share: pixels / (width * height), isResized, marked }
}

/**
 * Compares the pictures `names` of two takes. What changed is written into `changed/` of the newer one, with the changed pixels in red.
 */
export function compareTakes(older, newer, names) {
  const known = new Set(pictureNames(older))
  const isTaken = new Set(pictureNames(newer))
  const result = { same: [], changed: [], added: names.filter((name) => !known.has(name)), missing: [] }
  for (const name of names.filter((name) => known.has(name))) {
    if (!isTaken.has(name)) {
      result.missing.push(name)
      continue
    }
    const { pixels, share, isResized, marked } = comparePicture(readPicture(older, name), readPicture(newer, name))
    if (pixels === 0 && !isResized) {
      result.same.push(name)
      continue
    }
    const path = join(newer, 'changed', `${name}.png`)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, PNG.sync.write(marked))
    result.changed.push({ name, pixels, share })
  }
  return result
}
