/**
 * The package's main entry: everything the native engine exports.
 *
 * The binding (`index.js` and `index.d.ts` in the package root) is generated from `src/`; this file only hands it on.
 */
export * from '../index.js'
export { type PlanPreload, type PreloadOptions, type PreloadPlan, preloadPlan } from './preload/preload.js'
