import {
  careful,
  type Draft,
  type Envelope,
  type Fencing,
  NO_ENVELOPE,
  naive,
  render,
  truthOf,
} from './draft.js';
import type { Reading } from './reading.js';

/** One plan to repair. */
export interface Case {
  /** The arrangement or defect, a colon, and the file that the text comes from. */
  name: string;
  /** The plan as it came, its fences chosen badly. */
  text: string;
  /** What the plan says. */
  truth: Reading;
  /** The same plan with fences that are long enough: repair must not touch it. */
  twin: string;
  draft: Draft;
}

export function caseOf(
  name: string,
  draft: Draft,
  fencing: Fencing = naive,
  envelope: Envelope = NO_ENVELOPE,
): Case {
  return {
    name,
    text: render(draft, fencing, envelope),
    truth: truthOf(draft),
    twin: render(draft, careful),
    draft,
  };
}
