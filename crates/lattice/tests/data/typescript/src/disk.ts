export class Disk {}
export function open(): Disk {
  return new Disk()
}
