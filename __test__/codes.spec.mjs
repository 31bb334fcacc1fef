import assert from 'node:assert/strict'
import test from 'node:test'
import { codeOf, hasCode, rootCodeOf } from '../dist/shared/problem.js'

const coded = (code, more) => Object.assign(new Error('it failed'), { code, ...more })

test('every surface gives one error the same code', () => {
  for (const [thrown, code] of [
    [coded('INVALID_INPUT'), 'INVALID_INPUT'],
    [coded('ERR_LATTICE_PATH_OUTSIDE_REPO'), 'ERR_LATTICE_PATH_OUTSIDE_REPO'],
    // The system's own names.
    [coded('ENOSPC'), 'IO'],
    [coded('EACCES'), 'IO'],
    // Defects: of the binding, of Node's argument checks, of a library, and what is not even an error.
    [coded('GenericFailure'), 'INTERNAL'],
    [coded('ERR_INVALID_ARG_TYPE'), 'INTERNAL'],
    [coded('commander.help'), 'INTERNAL'],
    [coded(7), 'INTERNAL'],
    [new Error('it failed'), 'INTERNAL'],
    [{ code: 'INVALID_INPUT' }, 'INTERNAL'],
    ['it failed', 'INTERNAL'],
    [undefined, 'INTERNAL'],
  ]) {
    assert.equal(codeOf(thrown), code)
  }
})

test('the code of a network error is found in the chain of its causes', () => {
  const refused = coded('ECONNREFUSED')
  assert.equal(rootCodeOf(new TypeError('fetch failed', { cause: refused })), 'ECONNREFUSED')
  assert.equal(rootCodeOf(new Error('x', { cause: new AggregateError([refused]) })), 'ECONNREFUSED')
  assert.equal(rootCodeOf(new Error('x')), undefined)
  assert.ok(hasCode(refused, 'EPIPE', 'ECONNREFUSED'))
  assert.ok(!hasCode(undefined, 'EPIPE'))
})
