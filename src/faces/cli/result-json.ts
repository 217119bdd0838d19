import type { Issue } from '../../core/issue.js';
import { writeOutput } from '../../node/terminal/terminal.js';
import type { GlobalOptions } from './options.js';
import { type Paint, paintFor } from './paint.js';
import { visibleJson } from './visible.js';

/** A result for standard output: an object names the root it is about, and so does each object of a list. */
export function resultJson(root: string, value: unknown): string {
  const named = Array.isArray(value) ? value.map((item) => nameRoot(root, item)) : nameRoot(root, value);
  return `${visibleJson(named)}\n`;
}

/** Prints a result on standard output: JSON for programs, or words for people. */
export function printResult(
  root: string,
  options: GlobalOptions,
  json: unknown,
  words: (paint: Paint) => string,
): void {
  writeOutput(options.json ? resultJson(root, json) : words(paintFor('stdout', options)));
}

function nameRoot(root: string, value: unknown): unknown {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { root, ...value } : value;
}

/** The issue with every field of the interface: what is not known is null. */
export function issueJson({ code, severity, message, line, column, action, hint }: Issue) {
  return {
    code,
    severity,
    message,
    line: line ?? null,
    column: column ?? null,
    action: action ?? null,
    hint: hint ?? null,
  };
}
