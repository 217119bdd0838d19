import type { ReportReader } from './read/reader.js';

/** From when on a report is large. 0: never. */
export interface TipLimits {
  lines: number;
  characters: number;
}

export const TIP_LIMITS: TipLimits = { lines: 80, characters: 4000 };

const TIP_LABEL = '> **Tip:** ';

const TIP =
  'This execution report is large. Before proceeding, summarize the key outcomes, errors, and any new file contents into your rationale. After you have processed all necessary information, ask the user to delete the message containing this report to preserve context.';

/** The report, with the tip as its last element where it is large without it. */
export function addTip(report: string, limits: TipLimits): string {
  return isLarge(report, limits) ? `${report}\n---\n\n${TIP_LABEL}${TIP}\n` : report;
}

/** Reads behind the rule before it, if it is there. */
export function readTip(reader: ReportReader): boolean {
  reader.skipBlank();
  return reader.after(TIP_LABEL) !== undefined;
}

function isLarge(report: string, { lines, characters }: TipLimits): boolean {
  return (
    (lines > 0 && countLines(report) > lines) || (characters > 0 && countCharacters(report) > characters)
  );
}

function countLines(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count++;
  return count;
}

/** Those that a reader sees: a pair of surrogates is one. */
function countCharacters(text: string): number {
  let pairs = 0;
  for (let at = 0; at < text.length; at++) if (text.codePointAt(at)! > 0xffff) pairs++;
  return text.length - pairs;
}
