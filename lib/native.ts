// The only import of the native addon: all other TypeScript imports the engine from this file. The binding itself, `index.js` and
// `index.d.ts` in the package root, is generated from `src/`. This file declares it; its code is that of `library.ts`.
export * from '../index.js'
