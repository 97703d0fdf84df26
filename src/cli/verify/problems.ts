/** Collects the problems of a store as sentences: counts all and keeps the first ones. */
const MOST_KEPT = 20;

export class Problems {
  readonly first: string[] = [];
  count = 0;

  add(sentence: string): void {
    this.count++;
    if (this.first.length < MOST_KEPT) this.first.push(sentence);
  }
}
