import type { Item } from './types'
import { open } from './disk.js'

export interface Store {
  get(id: string): Item
}

export enum Mode { Read, Write }

export type Id = string

export abstract class Table implements Store {
  private disk: Disk = open()
  constructor(private readonly name: string, protected log: Log) {}
  get(id: string): Item {
    this.log.note(id)
    return this.read<Item>(id)
  }
  protected abstract read<T>(id: string): T
  static of(name: string): Table {
    return new Small(name, new Log())
  }
}

class Small extends Table {
  protected read<T>(id: string): T {
    return super.get(id) as T
  }
}

class Log {
  note(text: string): void {}
}

namespace inner {
  export function helper(): void {}
}

export function use(table: Table, other: Log): void {
  table.get('a')
  other.note('b')
  Table.of('c').get('d')
  inner.helper()
}
