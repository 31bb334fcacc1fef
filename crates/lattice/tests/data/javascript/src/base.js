export class Base {
  constructor() {
    Base.count()
  }
  static count() {}
}
