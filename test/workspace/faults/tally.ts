import { expect } from 'vitest';
import { SOAK } from './random.js';

const SHOWN = 10;

/** Counts cases and keeps what was wrong in them. */
export class Tally {
  count = 0;
  private covered = 0;
  private readonly wrong: string[] = [];
  private failures = 0;

  /** `replacesAgent` cases are settled by this one. */
  add(where: string, wrong: string | undefined, replacesAgent = 1): void {
    this.count++;
    this.covered += replacesAgent;
    if (wrong === undefined) return;
    this.failures++;
    if (this.wrong.length < SHOWN) this.wrong.push(`${where}: ${wrong}`);
  }

  /** All cases were right, and there were at least so many of them. */
  expectClean(what: string, atLeast: number): void {
    expect(this.wrong, `${this.failures} of ${this.count}`).toEqual([]);
    expect(this.covered, what).toBeGreaterThanOrEqual(atLeast);
    if (SOAK) console.info(`${what}: ${this.covered} in ${this.count} cases, none wrong`);
  }
}
