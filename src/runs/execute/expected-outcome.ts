import type { ExpectedOutcome } from '../../core/report/record.js';
import type { OutputName } from '../../node/process/types.js';
import type { Hands } from '../hands.js';
import { findQuotedTexts } from './quoted-texts.js';

/**
 * Looks for the texts that an Expected Outcome quotes, while the output goes by: all of it, of which only as much is
 * held as the longest text might need. What is looked through is masked, and so are the texts.
 */
export class OutcomeSearch {
  readonly note: string | undefined;
  readonly #texts: readonly string[];
  readonly #missing: Set<string>;
  readonly #overlap: number;
  readonly #ends: Record<OutputName, string> = { stdout: '', stderr: '' };

  constructor(expectedOutcome: string | null, { redactor }: Hands) {
    const { texts, all } = findQuotedTexts(expectedOutcome ?? '');
    this.#texts = texts.map((text) => redactor.mask(text));
    this.#missing = new Set(this.#texts);
    this.#overlap = Math.max(0, ...this.#texts.map(({ length }) => length - 1));
    if (!all) this.note = 'The Expected Outcome quotes more than was looked for.';
  }

  push(stream: OutputName, piece: string): void {
    if (this.#missing.size === 0) return;
    const text = this.#ends[stream] + piece;
    for (const wanted of this.#missing) if (text.includes(wanted)) this.#missing.delete(wanted);
    this.#ends[stream] = this.#overlap === 0 ? '' : text.slice(-this.#overlap);
  }

  /** undefined where nothing is quoted. */
  result(): ExpectedOutcome | undefined {
    if (this.#texts.length === 0) return undefined;
    return { met: this.#missing.size === 0, missing: [...this.#missing] };
  }
}
