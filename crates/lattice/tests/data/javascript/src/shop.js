import total, { round as near } from './math.js'
import * as tax from './tax.js'
import { readFileSync } from 'node:fs'
const { log } = require('./log.cjs')

/** A basket of things. */
export class Basket extends Base {
  #items = []
  add(item) {
    this.#check(item)
    this.items.push(item)
  }
  #check(item) {
    if (!item) throw new TypeError('no item')
  }
  sum = () => near(total(this.items))
}

export const checkout = async ({ basket, rate }) => {
  const own = new Basket()
  own.add(1)
  log(tax.of(basket.sum(), rate))
  return readFileSync('x')
}

export default function main() {
  function inner() {
    return checkout({})
  }
  return inner()
}

const api = {
  start() {
    return main()
  },
  stop: () => api.start(),
}

main()
