import type { AppendFile } from '../../workspace/append-file.js';

/** An answer as it comes. Never throws: what cannot be kept here is kept with the answer, or refused there. */
export interface AnswerDraft {
  write(text: string): void;
  close(): void;
}

/** A character may come in two halves, and a file holds whole ones. */
export function draftIn(file: AppendFile): AnswerDraft {
  let half = '';
  return {
    write(text) {
      const all = half + text;
      half = /[\ud800-\udbff]$/.exec(all)?.[0] ?? '';
      const whole = all.slice(0, all.length - half.length);
      if (whole !== '') file.write(whole);
    },
    close() {
      if (half !== '') file.write(half);
      file.close();
    },
  };
}
