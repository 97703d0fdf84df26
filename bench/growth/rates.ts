/** How fast transactions are committed as a store grows, shown by interval and compared with the first ones. */

export interface RatesOptions {
  /** number of transactions whose rate the others are compared with */
  readonly first: number;
  /** number of transactions after which a line is shown */
  readonly interval: number;
  /** bytes of the store's files */
  readonly storeBytes: () => number;
}

interface Sample {
  readonly transactions: number;
  readonly seconds: number;
  /** of this process */
  readonly cpuSeconds: number;
}

export class Rates {
  readonly #options: RatesOptions;
  readonly #startedAt = performance.now();
  readonly #cpuBefore = process.cpuUsage();
  readonly #samples: Sample[] = [{ transactions: 0, seconds: 0, cpuSeconds: 0 }];
  #shown = 0;

  constructor(options: RatesOptions) {
    this.#options = options;
    console.log("| transactions | s | transactions/s since the line before | CPU µs/transaction | store, bytes/transaction | MB |");
    console.log(`|---|${"---:|".repeat(5)}`);
  }

  committed(transactions: number): void {
    if (transactions === 0) return;
    this.#samples.push({ transactions: this.#samples.at(-1)!.transactions + transactions, ...this.#now() });
    while (this.#samples.at(-1)!.transactions >= this.#shown + this.#options.interval) {
      const from = this.#shown;
      this.#shown += this.#options.interval;
      this.#show(from, this.#shown);
    }
  }

  /** Called when the store is one file. */
  end(): void {
    const { first } = this.#options;
    const last = this.#samples.at(-1)!;
    const all = this.#now();
    const merge = { s: all.seconds - last.seconds, cpu: all.cpuSeconds - last.cpuSeconds };
    const count = last.transactions;
    const bytes = this.#options.storeBytes();
    console.log(
      `\nmerged in ${merge.s.toFixed(1)} s, CPU ${merge.cpu.toFixed(1)} s; ${Math.round(bytes / count)} bytes per transaction in the end`,
    );
    // the set-up of a chain is in what comes before
    const atFirst = this.#between(first / 10, first * 1.1);
    const atLast = this.#between(count * 0.9, count);
    const whole = count / all.seconds;
    console.log(
      `${count} transactions in ${all.seconds.toFixed(1)} s with the merge: ${whole.toFixed(0)}/s; ` +
        `${first} from the ${first / 10}th on: ${atFirst.rate.toFixed(0)}/s; last tenth: ${atLast.rate.toFixed(0)}/s`,
    );
    const cpu = (all.cpuSeconds * 1e6) / count;
    console.log(
      `all ÷ first: ${(whole / atFirst.rate).toFixed(2)} (first ÷ all by CPU time: ${(atFirst.cpu / cpu).toFixed(2)}); ` +
        `last tenth ÷ first: ${(atLast.rate / atFirst.rate).toFixed(2)} (${(atFirst.cpu / atLast.cpu).toFixed(2)})`,
    );
  }

  #show(from: number, to: number): void {
    const { rate, cpu } = this.#between(from, to);
    const bytes = this.#options.storeBytes();
    const cells = [to, this.#at(to).seconds.toFixed(1), rate.toFixed(0), cpu.toFixed(0), Math.round(bytes / to), Math.round(bytes / 1e6)];
    console.log(`| ${cells.join(" | ")} |`);
  }

  /** Transactions per second, and µs of CPU time per transaction. */
  #between(from: number, to: number): { rate: number; cpu: number } {
    const [a, b] = [this.#at(from), this.#at(to)];
    return { rate: (to - from) / (b.seconds - a.seconds), cpu: ((b.cpuSeconds - a.cpuSeconds) * 1e6) / (to - from) };
  }

  /** When so many were committed, between two commits in proportion. */
  #at(transactions: number): Sample {
    const next = Math.max(
      1,
      this.#samples.findIndex((sample) => sample.transactions >= transactions),
    );
    const [a, b] = [this.#samples[next - 1]!, this.#samples[next]!];
    const share = (transactions - a.transactions) / (b.transactions - a.transactions);
    const between = (from: number, to: number) => from + (to - from) * share;
    return { transactions, seconds: between(a.seconds, b.seconds), cpuSeconds: between(a.cpuSeconds, b.cpuSeconds) };
  }

  #now(): Pick<Sample, "seconds" | "cpuSeconds"> {
    const { user, system } = process.cpuUsage(this.#cpuBefore);
    return { seconds: (performance.now() - this.#startedAt) / 1000, cpuSeconds: (user + system) / 1e6 };
  }
}
