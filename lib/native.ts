// The one door of the TypeScript side to the native engine: everything else here imports the engine from this file. The binding
// itself, `index.js` and `index.d.ts` in the package root, is generated from `src/`.
export * from '../index.js'
