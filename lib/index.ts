/**
 * The package's main entry: everything the native engine exports.
 *
 * The binding (`index.js` and `index.d.ts` in the package root) is generated from `src/`; this file only hands it on.
 */
export * from '../index.js'
export { buildHallmark, hallmark, type RecordOrLine, verifyHallmark } from './hallmark.js'
