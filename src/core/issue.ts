export type Severity = 'error' | 'warning' | 'info';

/**
 * One problem found in a document. Parsers and checks return these and never throw on bad input.
 * `message` says what is wrong and where; `hint` says what to write instead. Both are read by a
 * person and by the model that writes the next plan.
 */
export interface Issue<Code extends string = string> {
  code: Code;
  severity: Severity;
  message: string;
  /** 1-based line in the text as it came. */
  line?: number;
  /** 1-based column, counted in UTF-16 units. */
  column?: number;
  /** 1-based position of the action that the issue belongs to. */
  action?: number;
  hint?: string;
}

/** What a code means, in one sentence for the docs, and how much it weighs. */
export interface IssueMeaning {
  severity: Severity;
  meaning: string;
}

export const error = (meaning: string): IssueMeaning => ({ severity: 'error', meaning });
export const warning = (meaning: string): IssueMeaning => ({ severity: 'warning', meaning });
export const info = (meaning: string): IssueMeaning => ({ severity: 'info', meaning });

/** Makes issues of one table of codes, each with the severity that the table gives it. */
export function issueMaker<Found extends Issue>(meanings: Readonly<Record<Found['code'], IssueMeaning>>) {
  return (
    code: Found['code'],
    message: string,
    where: Partial<Omit<Found, 'code' | 'severity' | 'message'>> = {},
  ) => ({ code, severity: meanings[code as Found['code']].severity, message, ...where }) as Found;
}

/** Collects issues. Of one code no more than a reader can take; how many more there are is said in one issue. */
export class IssueCollector<Found extends Issue, Where> {
  private readonly found: Found[] = [];
  private readonly counts = new Map<Found['code'], number>();

  /** `make` gives the issue for a place, or for the whole document if there is none. */
  constructor(
    private readonly make: (
      code: Found['code'],
      where: Where | undefined,
      message: string,
      hint?: string,
    ) => Found,
    private readonly mostOfCode = 20,
  ) {}

  /** Whether there are enough of a code; then this one is counted, and nothing more needs to be said of it. */
  skips(code: Found['code']): boolean {
    const count = this.counts.get(code) ?? 0;
    if (count >= this.mostOfCode) this.counts.set(code, count + 1);
    return count >= this.mostOfCode;
  }

  add(code: Found['code'], where: Where, message: string, hint?: string): void {
    if (this.skips(code)) return;
    this.counts.set(code, (this.counts.get(code) ?? 0) + 1);
    this.found.push(this.make(code, where, message, hint));
  }

  /** All of them, in the order in which they came. */
  list(): Found[] {
    const more = [...this.counts].filter(([, count]) => count > this.mostOfCode);
    return [
      ...this.found,
      ...more.map(([code, count]) =>
        this.make(code, undefined, `There are ${count - this.mostOfCode} more issues of the kind ${code}.`),
      ),
    ];
  }
}
