// A checkout is not published: its package would name no engine. The archives of a release candidate are.
console.error('error: publish the archives that npm run release:candidate makes')
process.exitCode = 1
